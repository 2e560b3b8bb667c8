/** Whether what is sampled over time grows without bound. */
@NullMarked
package dev.fairlead.bench.growth;

import org.jspecify.annotations.NullMarked;
