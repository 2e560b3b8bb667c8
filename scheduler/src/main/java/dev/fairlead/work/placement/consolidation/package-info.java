/** Moves running jobs so that a waiting job fits. */
@NullMarked
package dev.fairlead.work.placement.consolidation;

import org.jspecify.annotations.NullMarked;
