package dev.fairlead.work.workload.service.pass;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.service.contact.ClusterWatch;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * The view of the cluster at the start of a pass.
 *
 * @param acting whether anything may be done on the cluster
 * @param marked writes the database's watermark to the cluster. If it returns false, the cluster
 *     did not accept the watermark, and nothing may be started
 * @param crowded whether so many attempts request an action that ended attempts retain no pods
 * @param now the database's time
 */
@RecordBuilder
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

  /** Time to examine an attempt again after an action or a failure. */
  Instant soon() {
    return now.plus(PAUSE);
  }

  /** Time to repeat an unanswered query. */
  Instant later() {
    return now.plus(ASK_AGAIN);
  }

  ObservedWorkload workload(AttemptId id) {
    return observed.getOrDefault(id, ObservedWorkload.nothing(id));
  }
}
