/** Twins in memory. */
@NullMarked
package dev.fairlead.progress.memory;

import org.jspecify.annotations.NullMarked;
