/** Benchmarks, replay and load. No product code. */
@NullMarked
package dev.fairlead.bench;

import org.jspecify.annotations.NullMarked;
