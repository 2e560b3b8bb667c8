/** Sizes of the guarantee tests. */
@NullMarked
package dev.fairlead.benchmarks;

import org.jspecify.annotations.NullMarked;
