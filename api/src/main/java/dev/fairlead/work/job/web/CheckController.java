package dev.fairlead.work.job.web;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PutBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.CheckTransitions;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobCheck;
import dev.fairlead.work.job.service.JobControl;
import dev.fairlead.work.job.service.query.JobQueries;
import dev.fairlead.work.job.web.view.JobResponse;
import dev.fairlead.work.job.web.view.JobResponses;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/** Takes the reports of admission checks. */
@ApiController(ApiPaths.ROOT + "/jobs/" + ApiPaths.JOB + "/checks")
@Tag(name = "Jobs")
class CheckController {
  private static final Duration RETRY = Duration.ofMinutes(1);

  private final JobControl control;
  private final JobQueries queries;
  private final JobResponses responses;

  CheckController(JobControl control, JobQueries queries, JobResponses responses) {
    this.control = control;
    this.queries = queries;
    this.responses = responses;
  }

  /** The result of an admission check. */
  @Schema(name = "ReportJobCheckRequest")
  record ReportJobCheckRequest(
      @Schema(
              description =
                  "READY permits the attempt. RETRY refuses the start until the next request."
                      + " REJECTED fails the job. PENDING changes only the message")
          JobCheck.State state,
      @Schema(description = "Number of the request that the report answers, from the job's checks")
          @Min(1)
          @Max(Long.MAX_VALUE)
          Long request,
      @Schema(description = "Message for the job's owner, at most 1,000 characters")
          @Size(max = 1000)
          @Nullable String message,
      @Schema(
              description =
                  "Time until the next request after RETRY, 1s to 24h. One minute by default")
          @DurationMin(seconds = 1)
          @DurationMax(hours = 24)
          @Nullable Duration retryAfter) {
    CheckTransitions.Report report(String check) {
      return new CheckTransitions.Report(
          check,
          state,
          request,
          message == null ? "" : message,
          retryAfter == null ? RETRY : retryAfter);
    }
  }

  @Operation(
      operationId = "reportJobCheck",
      summary = "Report the result of an admission check",
      description =
          "Only the current request can be answered: a new attempt and a PATCH of the job request"
              + " the check again. A result can change until the job starts. Otherwise the"
              + " response is ILLEGAL_STATE. A repeated report has no effect.")
  @PutBody("/{check}")
  JobResponse report(
      Actor actor,
      @PathVariable String job,
      @PathVariable String check,
      @RequestBody ReportJobCheckRequest report,
      WriteOptions options) {
    JobId id = new JobId(ApiPaths.id(IdKind.JOB, job));
    Job now =
        control.report(
            new JobControl.Order(actor, id, null, options.validateOnly()), report.report(check));
    return responses.listed(queries.view(actor, now), true);
  }
}
