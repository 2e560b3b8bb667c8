/**
 * Workloads on a Kubernetes cluster, behind the domain's cluster ports. {@link
 * dev.fairlead.work.workload.kubernetes.ClusterLink} holds the connection, {@link
 * dev.fairlead.work.workload.kubernetes.ClusterView} what the watches show, {@link
 * dev.fairlead.work.workload.kubernetes.Launching} and {@link
 * dev.fairlead.work.workload.kubernetes.Ending} change it through the gate of {@link
 * dev.fairlead.work.workload.kubernetes.call.ClusterCalls}. Types of the client library stay in
 * this package and those below it.
 */
@NullMarked
package dev.fairlead.work.workload.kubernetes;

import org.jspecify.annotations.NullMarked;
