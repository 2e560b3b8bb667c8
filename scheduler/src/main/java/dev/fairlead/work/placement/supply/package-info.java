/** Decides which nodes to request from suppliers of pools. */
@NullMarked
package dev.fairlead.work.placement.supply;

import org.jspecify.annotations.NullMarked;
