package dev.fairlead.work.progress;

import dev.fairlead.care.health.Hang;
import dev.fairlead.care.health.HangBuilder;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptLifecycle;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Transition;
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
   * A hanging attempt saves nothing, so it is stopped immediately, with its grace period. An
   * attempt without any call counts as one that did not start in time, because its program may not
   * support the call.
   *
   * @param element element of an array, null for a job that is none
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
                hang.called()
                    ? "last reported this at"
                    : "has not reported any since its start, from",
                hang.since().truncatedTo(ChronoUnit.SECONDS));
    AttemptEvent.Stop stop =
        new AttemptEvent.Stop(
            hang.called() ? StopCause.HANG : StopCause.START_TIMEOUT,
            Failure.of(cause, text, attempt.number()),
            now.plus(job.spec().preemption().gracePeriod()));
    return AttemptLifecycle.apply(attempt, stop, now)
        .map(moved -> JobTransitions.observe(job, element, moved, stop, List.of(), now, ACTOR));
  }

  /** The incident of an attempt stopped after earlier calls. */
  public static Hang incident(
      IncidentId id, Attempt attempt, Duration timeout, Instant since, Instant now) {
    SortedMap<NodeId, String> nodes = new TreeMap<>();
    attempt.members().forEach(member -> nodes.put(member.node(), member.nodeName()));
    return HangBuilder.builder()
        .id(id)
        .cluster(attempt.cluster())
        .job(attempt.job())
        .attempt(attempt.id().text())
        .nodes(nodes)
        .cause("hang: no progress for " + DurationText.of(timeout))
        .since(since)
        .at(now)
        .build();
  }
}
