package dev.fairlead.work.job.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyConverter;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.service.JobForecaster;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.web.view.PlanResponse;
import java.util.Optional;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Predicts the placement of a spec. {@code validateOnly} has no effect, because nothing is ever
 * stored.
 */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT,
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
class PlanController {
  private final JobForecaster forecaster;
  private final SubmitBodies bodies;

  PlanController(JobForecaster forecaster, SubmitBodies bodies) {
    this.forecaster = forecaster;
    this.bodies = bodies;
  }

  @JobOperations.Plan
  @PostMapping(
      path = "/jobs/plan",
      consumes = {MediaType.APPLICATION_JSON_VALUE, BodyConverter.YAML})
  PlanResponse plan(
      Actor actor,
      @RequestParam(defaultValue = "default") String project,
      WriteOptions options,
      @RequestBody Body body) {
    FieldProblems problems = new FieldProblems();
    Optional<NewJob> wanted = bodies.request(actor, project).read(body.value(problems));
    problems.refuse();
    return PlanResponse.of(forecaster.plan(actor, project, wanted.orElseThrow()));
  }
}
