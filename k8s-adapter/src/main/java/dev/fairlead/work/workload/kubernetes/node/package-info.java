/** Nodes of a cluster, the use by foreign pods, and Fairlead's labels and taints on them. */
@NullMarked
package dev.fairlead.work.workload.kubernetes.node;

import org.jspecify.annotations.NullMarked;
