/**
 * Fairlead's namespaces and labels on a cluster, its rights, the isolation of pods, and the fence
 * through which only the newest holder acts.
 */
@NullMarked
package dev.fairlead.work.workload.kubernetes.namespace;

import org.jspecify.annotations.NullMarked;
