package dev.fairlead.care.healthtest.web;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.healthtest.HealthTest;
import dev.fairlead.care.healthtest.HealthTestBuilder;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.web.spi.JobBodies;
import dev.fairlead.work.spec.JobSpec;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;

/** A test that nodes must pass. */
record PutHealthTestRequest(
    @Schema(description = "Project in which its jobs run") @DnsLabel String project,
    @Schema(
            ref = "#/components/schemas/SubmitJobRequest",
            description =
                "Job that runs on the node, as in POST /jobs: one member, with maxRuntime."
                    + " Without gpu, the job gets all GPUs of the node")
        Object job,
    @Schema(
            implementation = String.class,
            description =
                "Interval between tests of a node, 1m to 366d. Without it, the test runs only"
                    + " on demand")
        @DurationMin(minutes = 1)
        @DurationMax(days = 366)
        @Nullable Duration every,
    @Schema(
            implementation = String.class,
            description =
                "Time that a node must have been idle before a test, at most 366d, 10m by default")
        @DurationMax(days = 366)
        @Nullable Duration idleFor,
    @Schema(description = "Maximum number of nodes under test at a time, 1 by default")
        @Min(1)
        @Max(HealthTest.MOST_AT_ONCE)
        @Nullable Integer atOnce,
    @Schema(description = "Repair of a node that fails, SERVICE by default")
        @Nullable RepairStep step) {
  private static final Duration IDLE = Duration.ofMinutes(10);
  private static final String JOB = "job";

  /**
   * @throws dev.fairlead.kernel.problem.Refusal with every problem of the test and of its job
   */
  static HealthTest read(Body body, String name, Actor actor, JobBodies jobs) {
    FieldProblems problems = new FieldProblems();
    Value given = body.value(problems);
    Optional<PutHealthTestRequest> request = BodyBinder.read(given, PutHealthTestRequest.class);
    Optional<JobSpec> job = request.flatMap(r -> r.job(given, actor, jobs));
    problems.refuse();
    return request.orElseThrow().test(name, actor, job.orElseThrow());
  }

  /** Reads the job as a submit to the project does. Returns empty for a refused project or job. */
  private Optional<JobSpec> job(Value given, Actor actor, JobBodies jobs) {
    String into = Objects.requireNonNullElse(project, "");
    if (!Names.isLabel(into, Names.LONGEST_LABEL)) {
      return Optional.empty();
    }
    Optional<Value> value = given.fields().flatMap(f -> f.get(JOB));
    value.ifPresent(
        job -> JobBodies.refuseDependsOn(job, "Fairlead decides when a health test runs"));
    Optional<JobSpec> spec = value.flatMap(job -> jobs.read(actor, into, job));
    spec.flatMap(HealthTest::objection)
        .ifPresent(detail ->
            given.fields().orElseThrow().refuse(JOB, ProblemCode.INVALID_FIELD, detail, null));
    return spec;
  }

  private HealthTest test(String name, Actor actor, JobSpec spec) {
    return HealthTestBuilder.builder()
        .name(name)
        .tenant(actor.tenant())
        .project(project)
        .job(spec)
        .every(every)
        .idleFor(idleFor == null ? IDLE : idleFor)
        .atOnce(atOnce == null ? 1 : atOnce)
        .step(step == null ? RepairStep.SERVICE : step)
        .actor(actor.name())
        .changedAt(Instant.EPOCH)
        .build();
  }
}
