package dev.fairlead.job.web;

import dev.fairlead.body.Body;
import dev.fairlead.body.FieldProblems;
import dev.fairlead.body.Fields;
import dev.fairlead.job.JobSpec;
import dev.fairlead.job.RoleSpec;
import dev.fairlead.problem.FieldProblem;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import java.util.List;

/** A merge patch of the few fields of a stored job that can change. */
final class JobPatch {
  private static final List<String> CHANGEABLE =
      List.of("priorityClass", "labels", "maxRuntime", "workers");
  private final JobSpecReader specs;

  JobPatch(JobSpecReader specs) {
    this.specs = specs;
  }

  /**
   * Names of the fields that the patch has.
   *
   * @throws Refusal UNKNOWN_FIELD for one that cannot be changed
   */
  static List<String> fields(Body body) {
    FieldProblems problems = new FieldProblems();
    Fields fields = body.fields(problems);
    List<String> given = CHANGEABLE.stream().filter(fields::has).toList();
    CHANGEABLE.forEach(fields::get);
    fields.done();
    problems.refuse();
    return given;
  }

  /**
   * The patched spec.
   *
   * @throws Refusal as a submit of the whole would, for fields of the patch
   */
  JobSpec apply(JobSpec spec, Body body) {
    List<String> given = fields(body);
    if (given.contains("workers") && !elastic(spec)) {
      throw refused(
          "/workers", "workers can be changed of an elastic job only: one with minWorkers.");
    }
    FieldProblems problems = new FieldProblems();
    JobSpec read =
        specs
            .read(body.appliedTo(JobSpecResponse.of(spec)).value(problems))
            .orElseThrow(problems::refusal);
    return patched(spec, read);
  }

  private static JobSpec patched(JobSpec old, JobSpec read) {
    List<RoleSpec> roles = elastic(old) ? read.roles() : old.roles();
    return new JobSpec(
        old.name(),
        old.queue(),
        read.priorityClass(),
        roles,
        old.placement(),
        old.launcher(),
        read.maxRuntime(),
        old.notBefore(),
        old.deadline(),
        old.dependsOn(),
        old.preemption(),
        old.retry(),
        old.onUnreachable(),
        old.array(),
        old.volumes(),
        read.labels(),
        old.annotations());
  }

  private static boolean elastic(JobSpec spec) {
    return spec.roles().size() == 1
        && spec.roles().getFirst().minCount() < spec.roles().getFirst().count();
  }

  private static Refusal refused(String pointer, String detail) {
    return new Refusal(
        ProblemCode.INVALID_FIELD,
        detail,
        List.of(new FieldProblem(pointer, ProblemCode.INVALID_FIELD, detail, null)));
  }
}
