/** How large the tests of the guarantees are. */
@NullMarked
package dev.fairlead.benchmarks;

import org.jspecify.annotations.NullMarked;
