/** Benchmarks, replay and load; no product code. */
@NullMarked
package dev.fairlead.bench;

import org.jspecify.annotations.NullMarked;
