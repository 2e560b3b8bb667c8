package dev.fairlead.job.web;

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
          "Stores the job in state QUEUED and answers with its expanded spec. A job that can never run as the fleet stands is"
              + " accepted with a warning. With an Idempotency-Key a repeated request has its effect once.",
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
          "1 to 1,000 specs. Each item has its own status; with atomic=true all are stored or none. The answer is 200 also"
              + " when items were refused.",
      requestBody =
          @RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = SubmitJobRequest.Batch.class))))
  @interface SubmitBatch {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "planJob",
      tags = "Jobs",
      summary = "What a spec would get now",
      description =
          "Plans as the scheduler would if the job were among those that wait now: where it would start, or why it would"
              + " wait, with the room and the price of each cluster and its effect on quota. Stores nothing and holds nothing"
              + " for it. At most 4 at once are worked out, further ones answer 429.",
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
          "Stores the wish; a job of which nothing lives is CANCELLED at once, another is CANCELLING until its members are"
              + " dead. Cancelling again changes nothing.")
  @interface Cancel {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listJobs",
      tags = "Jobs",
      summary = "List jobs of all projects",
      description =
          "Newest first. A repeated parameter means any of its values, different parameters must all hold. createdAfter takes"
              + " a time or a duration back from now. view=BASIC leaves the specs out.")
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
      operationId = "getJobExplanation",
      tags = "Jobs",
      summary = "Why a job waits",
      description =
          "Everything that is in the way, with its numbers, first things first; its place in the queue; what was found on"
              + " each cluster.")
  @interface Explanation {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listJobAttempts",
      tags = "Jobs",
      summary = "List a job's attempts",
      description = "By element and number, with their members.")
  @interface Attempts {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listJobElements",
      tags = "Jobs",
      summary = "List elements of an array job",
      description = "Those that have started at least once, by index.")
  @interface Elements {}

  @Retention(RetentionPolicy.RUNTIME)
  @Operation(
      operationId = "listJobEvents",
      tags = "Jobs",
      summary = "List a job's events",
      description = "What happened to it, oldest first.")
  @interface Events {}
}
