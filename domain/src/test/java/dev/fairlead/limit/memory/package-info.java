/** Limits in memory. */
@NullMarked
package dev.fairlead.limit.memory;

import org.jspecify.annotations.NullMarked;
