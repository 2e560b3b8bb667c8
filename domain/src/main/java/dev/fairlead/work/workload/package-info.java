/**
 * Attempts on clusters: what should be there, what is there, and the actions and events that
 * follow. {@link dev.fairlead.work.workload.ClusterGateway} is the port that a real and a simulated
 * cluster implement alike.
 */
@NullMarked
package dev.fairlead.work.workload;

import org.jspecify.annotations.NullMarked;
