/** Clusters, nodes and GPUs in PostgreSQL. */
@NullMarked
package dev.fairlead.fleet.cluster.postgres;

import org.jspecify.annotations.NullMarked;
