/** Detects unbounded growth of sampled quantities. */
@NullMarked
package dev.fairlead.bench.growth;

import org.jspecify.annotations.NullMarked;
