/**
 * Workloads on a Kubernetes cluster, behind the domain's cluster ports. {@link
 * dev.fairlead.work.workload.kubernetes.ClusterLink} holds the connection and {@link
 * dev.fairlead.work.workload.kubernetes.ClusterView} the state from the watches. {@link
 * dev.fairlead.work.workload.kubernetes.AttemptLauncher} and {@link
 * dev.fairlead.work.workload.kubernetes.AttemptTerminator} change the cluster through the gate of
 * {@link dev.fairlead.work.workload.kubernetes.call.ClusterCalls}. Types of the client library stay
 * in this package and those below it.
 */
@NullMarked
package dev.fairlead.work.workload.kubernetes;

import org.jspecify.annotations.NullMarked;
