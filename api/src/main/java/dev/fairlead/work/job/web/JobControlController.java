package dev.fairlead.work.job.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyConverter;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.JobId;
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
import dev.fairlead.work.job.web.view.JobResponse;
import dev.fairlead.work.job.web.view.JobResponses;
import java.util.function.Function;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Suspends, resumes, requeues, patches and deletes a job. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT + "/jobs/" + ApiPaths.JOB,
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
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

  @JobOperations.Suspend
  @PostMapping("/suspend")
  JobResponse suspend(
      Actor actor,
      @PathVariable String job,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    return done(actor, job, options, control::suspend);
  }

  @JobOperations.Resume
  @PostMapping("/resume")
  JobResponse resume(
      Actor actor,
      @PathVariable String job,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    return done(actor, job, options, control::resume);
  }

  @JobOperations.Requeue
  @PostMapping("/requeue")
  JobResponse requeue(
      Actor actor,
      @PathVariable String job,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    return done(actor, job, options, control::requeue);
  }

  @JobOperations.Checkpoint
  @PostMapping("/checkpoint")
  JobResponse checkpoint(
      Actor actor,
      @PathVariable String job,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    return done(actor, job, options, control::checkpoint);
  }

  @JobOperations.Delete
  @DeleteMapping
  ResponseEntity<Void> delete(Actor actor, @PathVariable String job, WriteOptions options) {
    control.delete(new JobControl.Order(actor, id(job), null, options.validateOnly()));
    return ResponseEntity.noContent().build();
  }

  @JobOperations.Patch
  @PatchMapping(
      consumes = {BodyConverter.MERGE_PATCH, MediaType.APPLICATION_JSON_VALUE, BodyConverter.YAML})
  ResponseEntity<JobResponse> patch(
      Actor actor,
      @PathVariable String job,
      @RequestBody Body body,
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
