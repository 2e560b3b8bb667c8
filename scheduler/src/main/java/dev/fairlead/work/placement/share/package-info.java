/** Share arithmetic between the nodes of a quota tree: dominant share and deserved share. */
@NullMarked
package dev.fairlead.work.placement.share;

import org.jspecify.annotations.NullMarked;
