package dev.fairlead.care.healthtest.web;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.healthtest.HealthTest;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.web.spi.JobBodies;
import dev.fairlead.work.spec.JobSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Reads health tests as people write them. */
final class HealthTestReader {
  private static final Duration SHORTEST = Duration.ofMinutes(1);
  private static final Duration LONGEST = Duration.ofDays(366);
  private static final Duration IDLE = Duration.ofMinutes(10);
  private static final String JOB = "job";

  private HealthTestReader() {}

  /** The test; only to be used when no problem was noted. */
  static Optional<HealthTest> read(Actor actor, String name, Fields given, JobBodies jobs) {
    Optional<String> project =
        given
            .required("project", "the one in which its jobs run.")
            .flatMap(v -> Names.label(v, Names.LONGEST_LABEL));
    Optional<JobSpec> job =
        given
            .required(JOB, "what runs on the node, as in POST /jobs.")
            .filter(v -> project.isPresent())
            .flatMap(v -> jobs.read(actor, project.orElseThrow(), v));
    job.ifPresent(spec -> fits(given, spec));
    Optional<Duration> every = given.get("every").flatMap(v -> v.duration(SHORTEST, LONGEST));
    Optional<Duration> idleFor =
        given.get("idleFor").flatMap(v -> v.duration(Duration.ZERO, LONGEST));
    Optional<Integer> atOnce =
        given.get("atOnce").flatMap(v -> v.integer(1, HealthTest.MOST_AT_ONCE));
    Optional<RepairStep> step = given.get("step").flatMap(v -> v.choice(RepairStep.class));
    given.done();
    return job.map(spec ->
        new HealthTest(
            name,
            actor.tenant(),
            project.orElseThrow(),
            spec,
            every.orElse(null),
            idleFor.orElse(IDLE),
            atOnce.orElse(1),
            step.orElse(RepairStep.SERVICE),
            actor.name(),
            Instant.EPOCH));
  }

  private static void fits(Fields given, JobSpec job) {
    refuse(
        given,
        job.members() > 1 || job.elastic() || job.array() != null,
        "a health test is one member on one node: leave workers, roles of more than one, and array"
            + " out");
    refuse(
        given,
        job.maxRuntime() == null,
        "maxRuntime is missing: after it the test counts as hung, for example 10m");
    refuse(
        given,
        !job.dependsOn().isEmpty() || job.notBefore() != null || job.deadline() != null,
        "Fairlead decides when a health test runs: leave dependsOn, notBefore and deadline out");
    refuse(
        given, job.preflight() != null, "a health test has no test before it: leave preflight out");
    GpuRequest.Kind gpu = job.roles().getFirst().gpu().kind();
    refuse(
        given,
        gpu != GpuRequest.Kind.NONE && gpu != GpuRequest.Kind.WHOLE,
        "a health test takes whole GPUs: give gpu as a count, or leave it out for all of the node");
  }

  private static void refuse(Fields given, boolean wrong, String detail) {
    if (wrong) {
      given.refuse(JOB, ProblemCode.INVALID_FIELD, detail, null);
    }
  }
}
