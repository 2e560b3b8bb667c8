package dev.fairlead.work.job.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.service.JobForecaster;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.web.spec.SubmitJobRequest;
import dev.fairlead.work.job.web.view.PlanResponse;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.Optional;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/**
 * Predicts the placement of a spec. {@code validateOnly} has no effect, because nothing is ever
 * stored.
 */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Jobs")
class PlanController {
  private final JobForecaster forecaster;
  private final SubmitBodies bodies;

  PlanController(JobForecaster forecaster, SubmitBodies bodies) {
    this.forecaster = forecaster;
    this.bodies = bodies;
  }

  @Operation(
      operationId = "planJob",
      summary = "Predict the placement of a spec",
      description =
          "Plans the job as the scheduler would if it were pending now. The response shows where "
              + "the job would start or why it would wait, with the free capacity and the price of"
              + " each cluster and the effect on quota. Stores and reserves nothing. At most 4"
              + " predictions run in parallel, and further requests return 429.")
  @PostBody("/jobs/plan")
  PlanResponse plan(
      Actor actor,
      @RequestParam(defaultValue = "default") String project,
      WriteOptions options,
      @RequestBody @BodyOf(SubmitJobRequest.class) Body body) {
    FieldProblems problems = new FieldProblems();
    Optional<NewJob> wanted = bodies.request(actor, project).read(body.value(problems));
    problems.refuse();
    return PlanResponse.of(forecaster.plan(actor, project, wanted.orElseThrow()));
  }
}
