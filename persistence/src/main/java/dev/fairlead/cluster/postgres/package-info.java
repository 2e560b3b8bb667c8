/** Clusters, nodes and GPUs in PostgreSQL. */
@NullMarked
package dev.fairlead.cluster.postgres;

import org.jspecify.annotations.NullMarked;
