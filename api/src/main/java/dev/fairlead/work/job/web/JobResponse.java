package dev.fairlead.work.job.web;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.explanation.ReasonClass;
import dev.fairlead.work.job.ArrayProgress;
import dev.fairlead.work.job.ExpectedStart;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.web.spec.JobSpecResponse;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A job.
 *
 * @param id {@code job_} and 26 characters
 * @param user who submitted it
 * @param cost of the GPUs that it holds, by the prices of now; null in lists, and when it holds
 *     none
 * @param attempt attempts made so far; of an array, of all elements
 * @param pending why it waits, null when it does not
 * @param failure why the last attempt ended badly
 * @param unseen what cannot be seen of the newest attempt, null when it can
 * @param conditions facts beside the one state
 * @param array progress of an array job, null for others
 * @param actions what may be done with it now: in its state and, read alone, by the role of the
 *     caller
 * @param version rises with every change
 * @param spec as submitted, expanded; null in a list with {@code view=BASIC}
 * @param warnings things its submitter should know; only in the answer to a submit
 */
record JobResponse(
    String id,
    String name,
    String project,
    String tenant,
    String queue,
    String user,
    JobState state,
    Instant stateChangedAt,
    Instant createdAt,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    String priorityClass,
    int priority,
    Gpus gpus,
    Place placement,
    @Nullable CostResponse cost,
    int attempt,
    @Nullable Pending pending,
    @Nullable Failure failure,
    @Nullable UnseenResponse unseen,
    List<Condition> conditions,
    @Nullable ArrayCounts array,
    List<Action> actions,
    SortedMap<String, String> labels,
    long version,
    @Nullable JobSpecResponse spec,
    List<String> warnings) {
  /**
   * In GPUs. Of an array: for as many elements as may run at once.
   *
   * @param allocated what live attempts hold
   * @param model of the GPUs held, null when none are
   */
  record Gpus(BigDecimal requested, BigDecimal allocated, @Nullable String model) {}

  /**
   * Where the newest attempt is, or was; null and empty before the first. In a list, of an array:
   * where its last element that lives is; null and empty when none does.
   */
  record Place(@Nullable String cluster, List<String> nodes) {}

  /**
   * Why it waits.
   *
   * @param since when this became the reason
   * @param position rank in its queue, 1 for the head; null in lists
   * @param expected when it is likely to start, learned from how long jobs run and wait; null while
   *     too little is known, and in the first minute of a wait
   */
  record Pending(
      Reason reason,
      @JsonProperty("class") ReasonClass reasonClass,
      String message,
      Instant since,
      @Nullable Integer position,
      @Nullable ExpectedStart expected) {}

  /** A fact as Kubernetes writes them: status is True, False or Unknown. */
  record Condition(
      String type, String status, String reason, String message, Instant lastTransitionTime) {}

  /** Elements of an array by how far they are. */
  record ArrayCounts(
      int elements, int queued, int running, int succeeded, int failed, int cancelled) {
    static @Nullable ArrayCounts of(@Nullable ArrayProgress array) {
      return array == null
          ? null
          : new ArrayCounts(
              array.elements(),
              array.queued(),
              array.live(),
              array.succeeded(),
              array.failed(),
              array.cancelled());
    }
  }

  /**
   * Something that may be done.
   *
   * @param reason why it is not allowed, null when it is
   */
  record Action(String name, boolean allowed, @Nullable String reason) {}
}
