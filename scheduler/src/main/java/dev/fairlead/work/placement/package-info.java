/** The engine: a snapshot in, a plan out. Pure, single-threaded, deterministic. */
@NullMarked
package dev.fairlead.work.placement;

import org.jspecify.annotations.NullMarked;
