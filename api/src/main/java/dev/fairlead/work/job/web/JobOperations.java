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

/** Texts of the OpenAPI document for job operations. */
interface JobOperations {
  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "submitJob",
      tags = "Jobs",
      summary = "Submit a job",
      description =
          "Stores the job in state QUEUED and returns its expanded spec. A job that can"
              + " never run on the current fleet is accepted with a warning. With an"
              + " Idempotency-Key, a repeated request takes effect once.",
      requestBody =
          @RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = SubmitJobRequest.class))))
  @ApiResponse(responseCode = "201", description = "Job stored.", useReturnTypeSchema = true)
  @interface Submit {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "submitJobs",
      tags = "Jobs",
      summary = "Submit many jobs",
      description =
          "Takes 1 to 1,000 specs. Each item has its own status. With atomic=true all specs"
              + " are stored or none. The response is 200 even if items were refused.",
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
          "Requests cancellation. A job without live members becomes CANCELLED immediately. Any"
              + " other job is CANCELLING until its members have ended. A repeated cancel has no"
              + " effect.")
  @interface Cancel {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "suspendJob",
      tags = "Jobs",
      summary = "Suspend a job",
      description =
          "Stops the live attempt with its grace period. For an array, stops all elements. The job"
              + " holds its resources until its members have ended, and waits until it is resumed.")
  @interface Suspend {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "checkpointJob",
      tags = "Jobs",
      summary = "Report a checkpoint of a running job",
      description =
          "Records that the job has saved its work. If jobs must be preempted, those that"
              + " would lose the least GPU time since their last report, or since their start, are"
              + " evicted first. For an array, the report counts for all running elements. A job"
              + " without an array that was asked for a checkpoint (preemption.checkpointTimeout)"
              + " is stopped after the report.")
  @interface Checkpoint {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "resumeJob",
      tags = "Jobs",
      summary = "Resume a suspended job",
      description =
          "The job is placed as soon as its stopping members are dead. It starts from the"
              + " beginning, and its program restores a checkpoint if it has one.")
  @interface Resume {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "requeueJob",
      tags = "Jobs",
      summary = "Requeue a job",
      description =
          "Stops the job and queues it again. Uses no retry budget and ends the job's"
              + " back-off. For an array, running elements stop and wait again, and ended elements"
              + " do not change.")
  @interface Requeue {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "deleteJob",
      tags = "Jobs",
      summary = "Delete an ended job",
      description =
          "Deletes the job with its attempts and elements. Its events are retained for"
              + " seven days. Refused until all its objects are removed from the cluster (logs"
              + " stay there for some minutes), and while an active job depends on it.")
  @ApiResponse(responseCode = "204", description = "Job deleted.")
  @interface Delete {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listJobMembers",
      tags = "Jobs",
      summary = "List the members of an attempt",
      description =
          "Lists the members of the newest attempt, or of the given one, with their node,"
              + " GPUs and end. Empty before the first attempt.")
  @interface Members {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "patchJob",
      tags = "Jobs",
      summary = "Change a job",
      description =
          "JSON Merge Patch (RFC 7396) of priorityClass, labels, maxRuntime, deadline and"
              + " workers. Running members continue: an elastic job grows to its new number of"
              + " workers as capacity becomes free, or shrinks by the members with the highest"
              + " index. If-Match is optional.",
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
          "Counts jobs by the values of groupBy, which may be repeated: state, queue,"
              + " project, user. Groups without jobs are omitted. Takes the same filters as the"
              + " list.")
  @interface Summary {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "bulkCancelJobs",
      tags = "Jobs",
      summary = "Cancel many jobs",
      description =
          "Cancels all jobs of the filter that can be cancelled, at most 1,000, in one"
              + " transaction. If their number differs from expectedCount, nothing is cancelled"
              + " and the response is 409 with both numbers.",
      requestBody =
          @RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = BulkCancelRequest.class))))
  @interface BulkCancel {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listJobs",
      tags = "Jobs",
      summary = "List jobs in all projects",
      description =
          "Lists jobs in all projects where the caller has a role, newest first or in the"
              + " order of orderBy. A repeated parameter matches any of its values, and different"
              + " parameters must all match. createdAfter and createdBefore take a time or a"
              + " duration before now."
              + " view=BASIC omits the specs. If matching jobs are rare among many, or their specs"
              + " are large, a page may have fewer than pageSize jobs, or none, although a"
              + " nextPageToken exists.")
  @interface ListAll {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listProjectJobs",
      tags = "Jobs",
      summary = "List jobs in a project",
      description = "Lists jobs in one project. Takes the same parameters as the list of all jobs.")
  @interface ListInProject {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "getJob",
      tags = "Jobs",
      summary = "Read a job",
      description =
          "Returns the job with its expanded spec, its placement, and the reason of its" + " wait.")
  @interface Get {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "getJobByName",
      tags = "Jobs",
      summary = "Read a job by its name",
      description =
          "Returns the newest job with this name in the project: the active job, or the job"
              + " that ended last. The response is the same as for a read by id.")
  @interface GetByName {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "getJobExplanation",
      tags = "Jobs",
      summary = "Explain why a job waits",
      description =
          "Returns all blockers with their numbers, most important first, the position in"
              + " the queue, and the result for each cluster.")
  @interface Explanation {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listJobDecisions",
      tags = "Jobs",
      summary = "List decisions about a job",
      description =
          "Lists placements, waits of more than a minute, evictions and moves by time, each"
              + " with its explanation at that time. For each job at most 250 decisions are"
              + " stored, the newest of each kind. They are retained for a year after its end, or"
              + " as long as `decisionDays` of its tenant or a legal hold requires.")
  @interface Decisions {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listJobAttempts",
      tags = "Jobs",
      summary = "List a job's attempts",
      description =
          "Lists attempts by element and number, with their members. For an array, lists"
              + " the attempts of all elements or of one element.")
  @interface Attempts {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listJobElements",
      tags = "Jobs",
      summary = "List elements of an array job",
      description = "Lists elements that have started at least once, by index.")
  @interface Elements {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listJobEvents",
      tags = "Jobs",
      summary = "List a job's events",
      description = "Lists the events of the job, oldest first.")
  @interface Events {}
}
