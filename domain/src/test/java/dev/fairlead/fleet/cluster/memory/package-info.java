/** In-memory stores of clusters, nodes and GPUs. */
@NullMarked
package dev.fairlead.fleet.cluster.memory;

import org.jspecify.annotations.NullMarked;
