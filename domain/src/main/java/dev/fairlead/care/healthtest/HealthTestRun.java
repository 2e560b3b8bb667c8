package dev.fairlead.care.healthtest;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Preflight;
import dev.fairlead.work.attempt.Reservation;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One test of one node.
 *
 * @param test name of the test
 * @param actor the operator who requested it, null for a scheduled run
 * @param job that runs it, null before it is submitted
 * @param outcome result, null while the run is active
 * @param message reason of its end, empty while it is in progress
 * @param wanted job that waits for the test, null if none
 */
@RecordBuilder
public record HealthTestRun(
    HealthTestRunId id,
    String test,
    ClusterId cluster,
    NodeId node,
    String nodeName,
    @Nullable String actor,
    Instant startedAt,
    @Nullable JobId job,
    @Nullable HealthTestOutcome outcome,
    String message,
    @Nullable Instant endedAt,
    @Nullable Demand wanted)
    implements HealthTestRunBuilder.With {
  /**
   * A job that starts on the node when it has passed.
   *
   * @param since time of its reservation
   * @param gpus GPUs of the node, all of which are tested
   * @param over whether it did not wait for the end
   */
  public record Demand(JobId job, int element, Instant since, int gpus, boolean over) {
    public Reservation.Key key() {
      return new Reservation.Key(job, element);
    }

    private Demand left() {
      return new Demand(job, element, since, gpus, true);
    }
  }

  public static HealthTestRun of(
      HealthTestRunId id, String test, Node node, @Nullable String actor, Instant now) {
    return HealthTestRunBuilder.builder()
        .id(id)
        .test(test)
        .cluster(node.cluster())
        .node(node.id())
        .nodeName(node.name())
        .actor(actor)
        .startedAt(now)
        .job(null)
        .outcome(null)
        .message("")
        .endedAt(null)
        .wanted(null)
        .build();
  }

  /** The run, for a job that waits for it. */
  public HealthTestRun of(Demand by) {
    return withWanted(by);
  }

  /** The run, for a job that no longer waits for it. */
  public HealthTestRun unwanted() {
    return wanted == null ? this : of(wanted.left());
  }

  /** The meaning of the run for the waiting job, empty without such a job. */
  public Optional<Preflight> preflight() {
    if (wanted == null || wanted.over()) {
      return Optional.empty();
    }
    Preflight.Verdict verdict =
        outcome == null
            ? Preflight.Verdict.RUNS
            : switch (outcome) {
              case PASSED -> Preflight.Verdict.PASSED;
              case FAILED -> Preflight.Verdict.FAILED;
              case HUNG, BROKEN, INTERRUPTED -> Preflight.Verdict.UNTESTED;
            };
    Instant at = endedAt == null ? startedAt : endedAt;
    return Optional.of(new Preflight(wanted.key(), wanted.since(), node, job, verdict, at));
  }

  /** Returns this run with the job that executes it. */
  public HealthTestRun running(JobId as) {
    return withJob(as);
  }

  /** Returns the run with its end. */
  public HealthTestRun ended(HealthTestOutcome as, String why, Instant now) {
    return with().outcome(as).message(why).endedAt(now).build();
  }
}
