/** Reads GPU metrics from a cluster's Prometheus. */
@NullMarked
package dev.fairlead.work.workload.kubernetes.metrics;

import org.jspecify.annotations.NullMarked;
