package dev.fairlead.work.job.web.view;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.fairlead.kernel.errors.ReasonPages;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.ClusterVerdict;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.explanation.NearMiss;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.explanation.ReasonClass;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.estimate.ExpectedStart;
import dev.fairlead.work.job.estimate.PreemptionRisk;
import dev.fairlead.work.job.service.query.ExplainedJob;
import dev.fairlead.work.job.store.ExplanationStore;
import dev.fairlead.work.job.store.QueuePlace;
import dev.fairlead.work.job.web.spec.GpuResponse;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The reasons why a job waits.
 *
 * @param computedAt time of the last scheduling cycle that evaluated the job, null before the first
 * @param reason first blocker, null if the job does not wait
 * @param position position in the queue, null if the job does not wait
 * @param nearMisses changes that would let the job start now
 * @param unreachable unobservable parts of the newest attempt, with proofs of its end and next
 *     steps. Null without any
 * @param estimate start estimated from maximum runtimes, null if unknown
 * @param expected likely start, learned from run times and waits of jobs. Null if too little data
 *     exists, and in the first minute of a wait
 * @param preemptionRisk jobs that may preempt the job, null after its end
 */
@RecordBuilder
public record ExplanationResponse(
    String job,
    JobState state,
    @Nullable Instant computedAt,
    @Nullable Reason reason,
    @JsonProperty("class") @Nullable ReasonClass reasonClass,
    String message,
    @Nullable Position position,
    List<BlockerResponse> blockers,
    List<NearMissResponse> nearMisses,
    List<ClusterVerdict> clusters,
    Priority priority,
    Explanation.@Nullable Estimate estimate,
    @Nullable ExpectedStart expected,
    @Nullable UnreachableResponse unreachable,
    @Nullable PreemptionRisk preemptionRisk) {
  /**
   * {@code rank} is 1 for the head. {@code gpusAhead} is the number of GPUs that jobs ahead of it
   * request.
   */
  record Position(int rank, int total, BigDecimal gpusAhead) {
    static @Nullable Position of(@Nullable QueuePlace place) {
      return place == null
          ? null
          : new Position(place.rank(), place.total(), GpuResponse.gpus(place.gpuMilliAhead()));
    }
  }

  /**
   * One blocker.
   *
   * @param type address of the page that describes the reason
   * @param numbers all numbers of the message
   * @param action possible action, null if only waiting helps
   */
  @RecordBuilder
  record BlockerResponse(
      String type,
      Reason reason,
      @JsonProperty("class") ReasonClass reasonClass,
      Blocker.Scope scope,
      String message,
      SortedMap<String, Long> numbers,
      Instant firstSeen,
      Instant lastSeen,
      @Nullable String action) {
    static BlockerResponse of(Blocker blocker, Instant first, Instant last) {
      return ExplanationResponseBlockerResponseBuilder.builder()
          .type(ReasonPages.of(blocker.reason()))
          .reason(blocker.reason())
          .reasonClass(blocker.reason().reasonClass())
          .scope(blocker.scope())
          .message(blocker.message())
          .numbers(blocker.numbers())
          .firstSeen(first)
          .lastSeen(last)
          .action(blocker.action())
          .build();
    }
  }

  /** Never before firstSeen: the two times come from two clocks. */
  private static Instant newest(ExplanationStore.Stored stored) {
    Instant computed = stored.explanation().computedAt();
    return computed.isBefore(stored.since()) ? stored.since() : computed;
  }

  /** A change and its effect. */
  record NearMissResponse(Change change, String effect) {
    /** A field of the spec by its API name. */
    record Change(String field, String from, String to) {}

    static NearMissResponse of(NearMiss miss) {
      return new NearMissResponse(new Change(miss.field(), miss.from(), miss.to()), miss.effect());
    }
  }

  /** Parts of the priority that determine the position in the queue. */
  record Priority(int total, List<Part> parts) {
    /** One part of the sum. */
    record Part(String name, int value) {}

    static Priority of(Job job) {
      return new Priority(job.priority(), List.of(new Part("class", job.priority())));
    }
  }

  public static ExplanationResponse of(ExplainedJob explained, @Nullable PreemptionRisk risk) {
    Job job = explained.view().job();
    ExplanationStore.Stored stored = explained.view().pending();
    Explanation why = stored == null ? null : stored.explanation();
    UnreachableResponse unreachable = UnreachableResponse.of(job, explained.view().unreachable());
    Reason reason = why == null ? waiting(job) : why.first().reason();
    String message =
        why == null ? plain(job, unreachable, explained.view().attempt()) : why.first().message();
    return ExplanationResponseBuilder.builder()
        .job(job.id().text())
        .state(job.state())
        .computedAt(why == null ? null : why.computedAt())
        .reason(reason)
        .reasonClass(reason == null ? null : reason.reasonClass())
        .message(message)
        .position(Position.of(explained.place()))
        .blockers(stored == null ? unevaluated(job, reason, message) : why(stored))
        .nearMisses(
            why == null ? List.of() : why.nearMisses().stream().map(NearMissResponse::of).toList())
        .clusters(why == null ? List.of() : why.clusters())
        .priority(Priority.of(job))
        .estimate(why == null ? null : why.estimate())
        .expected(stored == null ? null : stored.expected())
        .unreachable(unreachable)
        .preemptionRisk(risk)
        .build();
  }

  private static List<BlockerResponse> why(ExplanationStore.Stored stored) {
    return stored.explanation().blockers().stream()
        .map(b -> BlockerResponse.of(b, stored.since(), newest(stored)))
        .toList();
  }

  /** The blocker of a job that waits without a decision of the scheduler. */
  private static List<BlockerResponse> unevaluated(
      Job job, @Nullable Reason reason, String message) {
    if (reason == null) {
      return List.of();
    }
    String action = reason == Reason.HELD ? "resume it: fairlead resume " + job.id().text() : null;
    Blocker.Scope scope = new Blocker.Scope(Blocker.Scope.Kind.JOB, "");
    Blocker blocker = new Blocker(reason, scope, message, new TreeMap<>(), action);
    return List.of(BlockerResponse.of(blocker, job.run().changedAt(), job.run().changedAt()));
  }

  private static @Nullable Reason waiting(Job job) {
    return switch (job.state()) {
      case QUEUED -> Reason.NOT_EVALUATED;
      case SUSPENDED -> Reason.HELD;
      case ADMITTED, STARTING, RUNNING, SUCCEEDED, FAILED, CANCELLED, CANCELLING -> null;
    };
  }

  private static String plain(
      Job job, @Nullable UnreachableResponse unreachable, @Nullable Attempt attempt) {
    if (unreachable != null) {
      return "UNKNOWN since "
          + unreachable.since()
          + " whether it still runs: "
          + unreachable.message()
          + ". It stays "
          + job.state()
          + " and holds its resources until there is proof of its end.";
    }
    String unplaced = attempt == null ? null : JobConditions.waitsForNode(attempt);
    if (unplaced != null) {
      return "It is " + job.state() + ", and " + unplaced;
    }
    return switch (job.state()) {
      case QUEUED -> "The scheduler has not evaluated it yet.";
      case SUSPENDED -> "It was suspended by its owner and waits until it is resumed.";
      case ADMITTED, STARTING, RUNNING, SUCCEEDED, FAILED, CANCELLED, CANCELLING ->
          "It does not wait: it is " + job.state() + ".";
    };
  }
}
