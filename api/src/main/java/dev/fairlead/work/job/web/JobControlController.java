package dev.fairlead.work.job.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyConverter;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.service.JobControl;
import dev.fairlead.work.job.service.LargerReservations;
import dev.fairlead.work.job.service.query.JobCosts;
import dev.fairlead.work.job.service.query.JobQueries;
import dev.fairlead.work.job.service.query.JobView;
import dev.fairlead.work.job.web.spec.JobPatch;
import dev.fairlead.work.job.web.spec.JobSpecReader;
import dev.fairlead.work.job.web.spec.PatchJobRequest;
import dev.fairlead.work.job.web.view.JobResponse;
import dev.fairlead.work.job.web.view.JobResponses;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.function.Function;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;

/** Suspends, resumes, requeues, patches and deletes a job. */
@ApiController(ApiPaths.ROOT + "/jobs/" + ApiPaths.JOB)
@Tag(name = "Jobs")
class JobControlController {
  private final JobControl control;
  private final JobQueries queries;
  private final JobResponses responses;
  private final JobSpecReader specs;
  private final LargerReservations reservations;
  private final JobCosts costs;
  private final JobPatch patches;

  JobControlController(
      JobControl control,
      JobQueries queries,
      JobResponses responses,
      JobSpecReader specs,
      LargerReservations reservations,
      JobCosts costs) {
    this.control = control;
    this.queries = queries;
    this.responses = responses;
    this.specs = specs;
    this.reservations = reservations;
    this.costs = costs;
    this.patches = new JobPatch(specs);
  }

  @Operation(
      operationId = "suspendJob",
      summary = "Suspend a job",
      description =
          "Stops the live attempt with its grace period. For an array, stops all elements. The job"
              + " holds its resources until its members have ended, and waits until it is resumed.")
  @PostMapping("/suspend")
  JobResponse suspend(
      Actor actor,
      @PathVariable String job,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    return done(actor, job, options, control::suspend);
  }

  @Operation(
      operationId = "resumeJob",
      summary = "Resume a suspended job",
      description =
          "The job is placed as soon as its stopping members are dead. It starts from the"
              + " beginning, and its program restores a checkpoint if it has one.")
  @PostMapping("/resume")
  JobResponse resume(
      Actor actor,
      @PathVariable String job,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    return done(actor, job, options, control::resume);
  }

  @Operation(
      operationId = "requeueJob",
      summary = "Requeue a job",
      description =
          "Stops the job and queues it again. Uses no retry budget and ends the job's"
              + " back-off. For an array, running elements stop and wait again, and ended elements"
              + " do not change.")
  @PostMapping("/requeue")
  JobResponse requeue(
      Actor actor,
      @PathVariable String job,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    return done(actor, job, options, control::requeue);
  }

  @Operation(
      operationId = "checkpointJob",
      summary = "Report a checkpoint of a running job",
      description =
          "Records that the job has saved its work. If jobs must be preempted, those that"
              + " would lose the least GPU time since their last report, or since their start, are"
              + " evicted first. For an array, the report counts for all running elements. A job"
              + " without an array that was asked for a checkpoint (preemption.checkpointTimeout)"
              + " is stopped after the report.")
  @PostMapping("/checkpoint")
  JobResponse checkpoint(
      Actor actor,
      @PathVariable String job,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    return done(actor, job, options, control::checkpoint);
  }

  @Operation(
      operationId = "deleteJob",
      summary = "Delete an ended job",
      description =
          "Deletes the job with its attempts and elements. Its events are retained for"
              + " seven days. Refused until all its objects are removed from the cluster (logs"
              + " stay there for some minutes), and while an active job depends on it.")
  @ApiResponse(responseCode = "204", description = "Job deleted.")
  @DeleteMapping
  ResponseEntity<Void> delete(Actor actor, @PathVariable String job, WriteOptions options) {
    control.delete(new JobControl.Order(actor, id(job), null, options.validateOnly()));
    return ResponseEntity.noContent().build();
  }

  @Operation(
      operationId = "patchJob",
      summary = "Change a job",
      description =
          "JSON Merge Patch (RFC 7396) of priorityClass, labels, maxRuntime, deadline and"
              + " workers. Running members continue: an elastic job grows to its new number of"
              + " workers as capacity becomes free, or shrinks by the members with the highest"
              + " index. If-Match is optional.")
  @PatchMapping(
      consumes = {BodyConverter.MERGE_PATCH, MediaType.APPLICATION_JSON_VALUE, BodyConverter.YAML})
  ResponseEntity<JobResponse> patch(
      Actor actor,
      @PathVariable String job,
      @RequestBody @BodyOf(PatchJobRequest.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    JobView seen = queries.job(actor, id(job));
    JobSpecReader.Bounds bounds = specs.bounds(actor, seen.project());
    Long expected = options.ifGiven(() -> seen.job().version());
    Job patched =
        control.patch(
            new JobControl.Order(actor, id(job), null, options.validateOnly()),
            expected,
            (now, live) ->
                reservations.reserved(
                    now,
                    patches.apply(
                        now.spec(),
                        live,
                        body,
                        bounds,
                        longest -> costs.byRuntime(now, live, longest)),
                    live,
                    options.validateOnly()),
            JobPatch.fields(body));
    JobResponse answer = responses.listed(queries.view(actor, patched), true);
    return ResponseEntity.ok().eTag(Etags.of(answer.version())).body(answer);
  }

  private JobResponse done(
      Actor actor, String job, WriteOptions options, Function<JobControl.Order, Job> action) {
    Job now =
        action.apply(
            new JobControl.Order(
                actor, id(job), options.key("job " + job), options.validateOnly()));
    return responses.listed(queries.view(actor, now), true);
  }

  private static JobId id(String job) {
    return new JobId(ApiPaths.id(IdKind.JOB, job));
  }
}
