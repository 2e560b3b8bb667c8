/** Twins in memory. */
@NullMarked
package dev.fairlead.work.progress.memory;

import org.jspecify.annotations.NullMarked;
