/**
 * Attempts on clusters: desired and observed state, and the resulting actions and events. {@link
 * dev.fairlead.work.workload.ClusterGateway} is the port that a real and a simulated cluster
 * implement alike.
 */
@NullMarked
package dev.fairlead.work.workload;

import org.jspecify.annotations.NullMarked;
