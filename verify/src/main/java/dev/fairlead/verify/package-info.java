/** Benchmarks, replay and load. No product code. */
@NullMarked
package dev.fairlead.verify;

import org.jspecify.annotations.NullMarked;
