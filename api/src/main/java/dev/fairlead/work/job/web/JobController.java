package dev.fairlead.work.job.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.trace.TraceContext;
import dev.fairlead.kernel.trace.web.spi.TraceHeaders;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.service.JobCommands;
import dev.fairlead.work.job.service.query.JobQueries;
import dev.fairlead.work.job.service.query.Submitted;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.web.spec.SubmitJobRequest;
import dev.fairlead.work.job.web.view.JobResponse;
import dev.fairlead.work.job.web.view.JobResponses;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;

/** Submits and cancels jobs. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Jobs")
class JobController {
  private final JobCommands commands;
  private final JobQueries queries;
  private final SubmitBodies bodies;
  private final JobResponses responses;

  JobController(
      JobCommands commands, JobQueries queries, SubmitBodies bodies, JobResponses responses) {
    this.commands = commands;
    this.queries = queries;
    this.bodies = bodies;
    this.responses = responses;
  }

  @Operation(
      operationId = "submitJob",
      summary = "Submit a job",
      description =
          "Stores the job in state QUEUED and returns its expanded spec. A job that can"
              + " never run on the current fleet is accepted with a warning. With an"
              + " Idempotency-Key, a repeated request takes effect once.")
  @ApiResponse(responseCode = "201", description = "Job stored.", useReturnTypeSchema = true)
  @PostBody("/projects/{project}/jobs")
  ResponseEntity<JobResponse> submit(
      Actor actor,
      @PathVariable String project,
      @RequestBody @BodyOf(SubmitJobRequest.class) Body body,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options,
      HttpServletRequest request) {
    RequestKey key = options.key(project, body);
    Submitted submitted = submitted(actor, project, body, key, options, request);
    JobResponse stored =
        responses.submitted(
            queries.submitted(actor, List.of(submitted)).getFirst(), submitted.warnings());
    ResponseEntity.BodyBuilder answer = ResponseEntity.status(HttpStatus.CREATED);
    if (!options.validateOnly()) {
      answer
          .location(URI.create(ApiPaths.v1("/jobs/" + stored.id())))
          .eTag(Etags.of(stored.version()));
    }
    return answer.body(stored);
  }

  /** A repeated request whose template changed or was deleted gets the first response. */
  private Submitted submitted(
      Actor actor,
      String project,
      Body body,
      @Nullable RequestKey key,
      WriteOptions options,
      HttpServletRequest request) {
    NewJob job;
    try {
      job = traced(read(actor, project, body), request);
    } catch (Refusal unreadable) {
      if (key == null || options.validateOnly()) {
        throw unreadable;
      }
      return commands.repeated(actor, key).orElseThrow(() -> unreadable);
    }
    return commands.submit(actor, project, job, key, options.validateOnly());
  }

  private NewJob read(Actor actor, String project, Body body) {
    FieldProblems problems = new FieldProblems();
    Optional<NewJob> wanted = bodies.request(actor, project).read(body.value(problems));
    problems.refuse();
    return wanted.orElseThrow();
  }

  /**
   * If the request is traced, the job's trace continues it, unless the job has its own trace
   * context.
   */
  private static NewJob traced(NewJob job, HttpServletRequest request) {
    boolean brings = job.spec().annotations().containsKey(TraceContext.PARENT);
    return TraceHeaders.of(request)
        .filter(context -> TraceHeaders.given(request) || !brings)
        .map(context -> context.sampled() ? context : TraceContext.UNKEPT)
        .map(context -> job.annotated(TraceContext.REQUEST, context.traceparent()))
        .orElse(job);
  }

  @Operation(
      operationId = "cancelJob",
      summary = "Cancel a job",
      description =
          "Requests cancellation. A job without live members becomes CANCELLED immediately. Any"
              + " other job is CANCELLING until its members have ended. A repeated cancel has no"
              + " effect.")
  @PostMapping("/jobs/{job}/cancel")
  JobResponse cancel(Actor actor, @PathVariable String job, WriteOptions options) {
    JobId id = new JobId(ApiPaths.id(IdKind.JOB, job));
    Job cancelled = commands.cancel(actor, id, options.validateOnly());
    return responses.listed(queries.view(actor, cancelled), true);
  }
}
