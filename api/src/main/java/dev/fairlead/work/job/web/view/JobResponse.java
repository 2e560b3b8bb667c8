package dev.fairlead.work.job.web.view;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.explanation.ReasonClass;
import dev.fairlead.work.job.ArrayProgress;
import dev.fairlead.work.job.JobCheck;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.estimate.ExpectedStart;
import dev.fairlead.work.job.web.spec.JobSpecResponse;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A job.
 *
 * @param id id of the job: {@code job_} and 26 characters
 * @param user submitter of the job
 * @param cost cost of the GPUs that the job holds at current prices, null in lists and without GPUs
 * @param attempt number of attempts so far, for an array over all elements
 * @param pending reason for the wait, null if the job does not wait
 * @param progress last progress report of the newest attempt while it runs, null if none and for
 *     arrays
 * @param outputs values by name that the newest attempt reported, final when the job SUCCEEDED.
 *     Null in lists and without any
 * @param logsUrl address of its output in the log store of the platform, null before the first
 *     attempt, for an array in lists while no element runs, and if no address is configured
 * @param failure failure of the last attempt
 * @param unreachable unobservable parts of the newest attempt, null if none
 * @param conditions conditions in addition to the state
 * @param array progress of an array job, null for other jobs
 * @param checks admission checks that were requested for the next or the last attempt
 * @param actions actions that the state allows now and, in a read of one job, the role of the
 *     caller
 * @param version version of the job, which increases with each change
 * @param spec submitted spec, expanded, null in a list with {@code view=BASIC}
 * @param warnings warnings for the submitter, only in the response to a submit
 */
@RecordBuilder
public record JobResponse(
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
    @Nullable ProgressReportResponse progress,
    @Nullable SortedMap<String, String> outputs,
    @Nullable String logsUrl,
    @Nullable Failure failure,
    @Nullable UnreachableResponse unreachable,
    List<Condition> conditions,
    @Nullable ArrayCounts array,
    @Nullable List<JobCheck> checks,
    List<Action> actions,
    SortedMap<String, String> labels,
    long version,
    @Nullable JobSpecResponse spec,
    List<String> warnings) {
  /**
   * Number of GPUs. For an array, the sum over the elements that can run in parallel.
   *
   * @param allocated GPUs of live attempts
   * @param model model of the allocated GPUs, null if none
   */
  record Gpus(BigDecimal requested, BigDecimal allocated, @Nullable String model) {}

  /**
   * Placement of the newest attempt. Null and empty before the first attempt. In a list, for an
   * array: placement of its last live element, null and empty without one.
   */
  record Place(@Nullable String cluster, List<String> nodes) {}

  /**
   * The reason for a wait.
   *
   * @param since time when this became the reason
   * @param position rank in the queue, 1 for the head, null in lists
   * @param expected likely start, learned from run times and waits of jobs. Null if too little data
   *     exists, and in the first minute of a wait
   */
  record Pending(
      Reason reason,
      @JsonProperty("class") ReasonClass reasonClass,
      String message,
      Instant since,
      @Nullable Integer position,
      @Nullable ExpectedStart expected) {}

  /** A condition as in Kubernetes, with the status True, False or Unknown. */
  record Condition(
      String type, String status, String reason, String message, Instant lastTransitionTime) {}

  /** Elements of an array by progress. */
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
   * An action on the job.
   *
   * @param reason reason why the action is not allowed, null if it is allowed
   */
  record Action(String name, boolean allowed, @Nullable String reason) {}
}
