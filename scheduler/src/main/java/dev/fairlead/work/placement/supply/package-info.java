/** Which nodes to ask suppliers of pools for. */
@NullMarked
package dev.fairlead.work.placement.supply;

import org.jspecify.annotations.NullMarked;
