package dev.fairlead.work.workload.service.pass;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.ObservedWorkload;
import dev.fairlead.work.workload.service.contact.ClusterWatch;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * What is known of the cluster when a pass begins.
 *
 * @param acting whether anything may be done on the cluster
 * @param marked tells the cluster that the database goes on from here; false when that was not
 *     taken, and nothing may be started then
 * @param crowded whether so many attempts ask for an action that nothing is kept for later
 * @param now the database's time
 */
public record PassView(
    HeldLease lease,
    ClusterGateway gateway,
    ClusterWatch watch,
    Map<AttemptId, ObservedWorkload> observed,
    boolean acting,
    BooleanSupplier marked,
    boolean crowded,
    Instant now) {
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration ASK_AGAIN = Duration.ofSeconds(5);

  /** When what was done or failed a moment ago is looked at again. */
  Instant soon() {
    return now.plus(PAUSE);
  }

  /** When what a cluster did not answer is asked again. */
  Instant later() {
    return now.plus(ASK_AGAIN);
  }

  ObservedWorkload workload(AttemptId id) {
    return observed.getOrDefault(id, ObservedWorkload.nothing(id));
  }
}
