/** Decides which nodes to request from provisioners of pools. */
@NullMarked
package dev.fairlead.work.placement.supply;

import org.jspecify.annotations.NullMarked;
