package dev.fairlead.progress;

import dev.fairlead.attempt.Attempt;
import dev.fairlead.attempt.AttemptEvent;
import dev.fairlead.attempt.AttemptLifecycle;
import dev.fairlead.attempt.Failure;
import dev.fairlead.attempt.FailureCause;
import dev.fairlead.attempt.StopCause;
import dev.fairlead.health.Hang;
import dev.fairlead.health.IncidentId;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobElement;
import dev.fairlead.job.JobTransitions;
import dev.fairlead.job.Transition;
import dev.fairlead.node.NodeId;
import dev.fairlead.resources.DurationText;
import dev.fairlead.tenant.OwnActor;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An attempt that hangs is stopped. Pure. */
public final class HangTransitions {
  private static final String ACTOR = OwnActor.PROGRESS.text();

  private HangTransitions() {}

  /**
   * What hangs saves nothing, so it is stopped at once, with its grace period. One that was never
   * heard of counts as one that did not start in time: its program may not know how to call.
   *
   * @param element of an array, null for a job that is none
   * @return empty when its state does not take it
   */
  public static Optional<Transition> stopped(
      Job job,
      @Nullable JobElement element,
      Attempt attempt,
      ProgressPlan.Step.Hangs hang,
      Duration timeout,
      Instant now) {
    FailureCause cause = hang.called() ? FailureCause.HANG : FailureCause.START_TIMEOUT;
    String text =
        "no progress for %s: it %s %s"
            .formatted(
                DurationText.of(timeout),
                hang.called() ? "last said so at" : "has not said so once since it runs, from",
                hang.since().truncatedTo(ChronoUnit.SECONDS));
    AttemptEvent.Stop stop =
        new AttemptEvent.Stop(
            hang.called() ? StopCause.HANG : StopCause.START_TIMEOUT,
            Failure.of(cause, text, attempt.number()),
            now.plus(job.spec().preemption().gracePeriod()));
    return AttemptLifecycle.apply(attempt, stop, now)
        .map(moved -> JobTransitions.observe(job, element, moved, stop, List.of(), now, ACTOR));
  }

  /** The incident of one that is stopped after it had called. */
  public static Hang incident(
      IncidentId id, Attempt attempt, Duration timeout, Instant since, Instant now) {
    SortedMap<NodeId, String> nodes = new TreeMap<>();
    attempt.members().forEach(member -> nodes.put(member.node(), member.nodeName()));
    return new Hang(
        id,
        attempt.cluster(),
        attempt.job(),
        attempt.id().text(),
        nodes,
        "hang: no progress for " + DurationText.of(timeout),
        since,
        now);
  }
}
