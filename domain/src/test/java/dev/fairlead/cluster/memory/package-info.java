/** In-memory twin of clusters, nodes and GPUs. */
@NullMarked
package dev.fairlead.cluster.memory;

import org.jspecify.annotations.NullMarked;
