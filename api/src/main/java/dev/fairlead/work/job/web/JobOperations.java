package dev.fairlead.work.job.web;

import dev.fairlead.work.job.web.spec.PatchJobRequest;
import dev.fairlead.work.job.web.spec.SubmitJobRequest;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** What the OpenAPI document says about job operations. */
interface JobOperations {
  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "submitJob",
      tags = "Jobs",
      summary = "Submit a job",
      description =
          "Stores the job in state QUEUED and returns its expanded spec. A job that can never run on the present fleet is "
              + "accepted with a warning. A repeated request with the same Idempotency-Key has no further effect.",
      requestBody =
          @RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = SubmitJobRequest.class))))
  @ApiResponse(responseCode = "201", description = "Stored.", useReturnTypeSchema = true)
  @interface Submit {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "submitJobs",
      tags = "Jobs",
      summary = "Submit many jobs",
      description =
          "1 to 1,000 specs. Each item has its own status; with atomic=true all are stored or none."
              + " The answer is 200 also when items were refused.",
      requestBody =
          @RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = SubmitJobRequest.Batch.class))))
  @interface SubmitBatch {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "planJob",
      tags = "Jobs",
      summary = "Predict the placement of a spec",
      description =
          "Plans the job as the scheduler would if it were pending now. The response says where"
              + " the job would start or why it would wait, with the free capacity and the price of"
              + " each cluster and the effect on quota. Stores and reserves nothing. At most 4"
              + " predictions run in parallel, and further requests get 429.",
      requestBody =
          @RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = SubmitJobRequest.class))))
  @interface Plan {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "cancelJob",
      tags = "Jobs",
      summary = "Cancel a job",
      description =
          "Stores the order. A job without live members is CANCELLED immediately, and another job"
              + " is CANCELLING until its members are dead. Cancelling again changes nothing.")
  @interface Cancel {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "suspendJob",
      tags = "Jobs",
      summary = "Hold a job back",
      description =
          "Stops its processes with their grace period, for an array those of all elements. The job holds its resources "
              + "until they are confirmed dead, and waits until it is resumed.")
  @interface Suspend {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "checkpointJob",
      tags = "Jobs",
      summary = "Say that a running job has saved its work",
      description =
          "Preemption evicts jobs first that lose the least GPU time since their last checkpoint report, or since their "
              + "start. For an array the report applies to all running elements. A job, not an array, that was asked to "
              + "checkpoint before it is stopped (preemption.checkpointTimeout) is stopped after its report.")
  @interface Checkpoint {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "resumeJob",
      tags = "Jobs",
      summary = "Let a suspended job wait for a place again",
      description =
          "The job is placed as soon as its stopping members are dead. It starts from the"
              + " beginning, and its program restores a checkpoint if it has one.")
  @interface Resume {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "requeueJob",
      tags = "Jobs",
      summary = "Stop a job and queue it again",
      description =
          "Spends no retry budget and ends the back-off of a job. For an array, running elements"
              + " stop and wait again, and ended elements do not change.")
  @interface Requeue {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "deleteJob",
      tags = "Jobs",
      summary = "Delete a job that has ended",
      description =
          "Deletes it with its attempts and elements; its events remain for seven days. Refused while its pods exist on the "
              + "cluster (for some minutes, so that its output can be read), and while an active job depends on it.")
  @ApiResponse(responseCode = "204", description = "Deleted.")
  @interface Delete {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listJobMembers",
      tags = "Jobs",
      summary = "List the members of an attempt",
      description =
          "Of the newest attempt, or of the given one: where each member is, its GPUs, and how it"
              + " ended. Empty before the first attempt.")
  @interface Members {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "patchJob",
      tags = "Jobs",
      summary = "Change a job",
      description =
          "A merge patch of priorityClass, labels, maxRuntime, deadline and workers. Running attempts continue: a running "
              + "elastic job grows to its new number of workers as capacity becomes free, or releases those with the highest "
              + "index. If-Match is optional.",
      requestBody =
          @RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = PatchJobRequest.class))))
  @interface Patch {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "summarizeJobs",
      tags = "Jobs",
      summary = "Count jobs by groups",
      description =
          "groupBy may be repeated: state, queue, project, user. Groups without jobs are left out."
              + " Filters as in the list.")
  @interface Summary {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "bulkCancelJobs",
      tags = "Jobs",
      summary = "Cancel many jobs",
      description =
          "All jobs of the filter that can be cancelled, at most 1,000, in one transaction. When"
              + " they are not expectedCount, nothing is cancelled and the answer is 409 with both"
              + " numbers.",
      requestBody =
          @RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = BulkCancelRequest.class))))
  @interface BulkCancel {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listJobs",
      tags = "Jobs",
      summary = "List jobs of all projects",
      description =
          "Lists jobs of all projects in which the caller has a role. Newest first, or by orderBy. A repeated parameter "
              + "matches any of its values; different parameters must all match. createdAfter accepts a time or a duration back "
              + "from now. view=BASIC omits the specs. If few of very many jobs match, or specs are large, a page may have fewer "
              + "than pageSize jobs, or none, and still a nextPageToken.")
  @interface ListAll {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listProjectJobs",
      tags = "Jobs",
      summary = "List jobs of a project",
      description = "As listing all jobs, inside one project.")
  @interface ListInProject {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "getJob",
      tags = "Jobs",
      summary = "Read a job",
      description = "With its expanded spec, its place, and why it waits.")
  @interface Get {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "getJobByName",
      tags = "Jobs",
      summary = "Read a job by its name",
      description =
          "The newest job of this name in the project: the active job, or the job that ended last."
              + " The response equals the response to a read by id.")
  @interface GetByName {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "getJobExplanation",
      tags = "Jobs",
      summary = "Why a job waits",
      description =
          "Returns all blockers with numbers, in order of importance; its queue position; and the evaluation of each cluster.")
  @interface Explanation {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listJobDecisions",
      tags = "Jobs",
      summary = "List the decisions about a job",
      description =
          "Lists each placement, each wait of more than a minute with its explanation, each eviction and move, in order of "
              + "time, with the explanation recorded at that time. A job retains at most 250 decisions, the newest of each kind, "
              + "even after its end: for a year, or as long as `decisionDays` of its tenant or a legal hold requires.")
  @interface Decisions {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listJobAttempts",
      tags = "Jobs",
      summary = "List a job's attempts",
      description =
          "By element and number, with their members; for an array, of all elements or of one.")
  @interface Attempts {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listJobElements",
      tags = "Jobs",
      summary = "List elements of an array job",
      description = "Elements that have started at least once, by index.")
  @interface Elements {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listJobEvents",
      tags = "Jobs",
      summary = "List a job's events",
      description = "What happened to it, oldest first.")
  @interface Events {}
}
