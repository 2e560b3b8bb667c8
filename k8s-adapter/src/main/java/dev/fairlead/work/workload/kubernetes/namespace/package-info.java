/**
 * Where our objects stand on a cluster and by which labels they are known, what we may do there,
 * what keeps pods in, and the fence by which only the newest holder acts.
 */
@NullMarked
package dev.fairlead.work.workload.kubernetes.namespace;

import org.jspecify.annotations.NullMarked;
