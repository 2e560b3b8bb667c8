/**
 * A deterministic cluster behind the same port as a real one, for the embedded fleet, tests and
 * replay. {@link dev.fairlead.work.workload.simulation.SimulatedCluster} is the cluster, and {@link
 * dev.fairlead.work.workload.simulation.SimulatedConnector} opens connections to it.
 *
 * <p>A cluster is a queue of (time, sequence) events over nodes and pods. Equal seed, equal clock
 * and equal calls give an equal history. In virtual time a test advances it with {@code tickTo}. On
 * wall time one daemon thread of the connector does.
 *
 * <p>Annotations under {@code sim.fairlead.dev/} define the behaviour of a pod, narrowed by {@code
 * members}, {@code attempts} and {@code elements} ({@link
 * dev.fairlead.work.workload.SimulationAnnotations}):
 *
 * <ul>
 *   <li>{@code start-after} from binding to running, 100 ms. {@code run-for} from then to the end,
 *       60 s. {@code finish-after} overrides it for these members.
 *   <li>{@code outcome}: {@code fail} (exit code 1, or {@code exit-code}), {@code oom} (137,
 *       OOMKilled), {@code hang} (ends only when it is stopped), {@code image-error} (never starts,
 *       ImagePullBackOff), {@code reject} (UnexpectedAdmissionError), {@code node-reboot}: at the
 *       end of {@code run-for}, or {@code after} this time, the member's node reboots, and every
 *       pod on it dies without a result.
 *   <li>{@code stop-after} from SIGTERM to the end, immediately. {@code stop-exit-code}, 143. A pod
 *       that takes its whole grace period is killed with 137.
 *   <li>Replicas of model services: {@code requests} of the service in a second, 50. They change
 *       with the age of the service as in {@code 100, 400 after 5m, 50 after 20m}. {@code
 *       error-percent} of the responses, 0. Default of {@code latency}: 0.
 * </ul>
 *
 * <p>An embedded cluster restarts with its process: its pods are lost and every node has a new boot
 * id, so its attempts count as lost by a reboot.
 */
@NullMarked
package dev.fairlead.work.workload.simulation;

import org.jspecify.annotations.NullMarked;
