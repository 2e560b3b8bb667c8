package dev.fairlead.work.job.service.submit;

import static java.util.stream.Collectors.joining;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.output.OutputReference;
import dev.fairlead.work.output.OutputReference.Use;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.JobSpec.Dependency.Condition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** References of a new job to outputs of its dependencies. */
final class NamedOutputs {
  private final List<Needed> dependencies = new ArrayList<>();
  private final Project project;

  /** A dependency, with its job where the project has it. */
  private record Needed(Dependency dependency, Job job) {}

  private NamedOutputs(Project project) {
    this.project = project;
  }

  /**
   * Checks that each reference names a declared output of a dependency that ends first. Reads only
   * the dependencies of a job with references.
   *
   * @param jobs finds a job of the tenant, also one of the same request
   * @throws Refusal INVALID_FIELD at the first reference that can have no value
   */
  static void known(JobSpec spec, Project project, Function<JobId, Optional<Job>> jobs) {
    List<Use> uses = OutputReference.uses(spec);
    if (uses.isEmpty()) {
      return;
    }
    NamedOutputs known = new NamedOutputs(project);
    for (Dependency each : spec.dependsOn()) {
      jobs.apply(each.job()).ifPresent(job -> known.dependencies.add(new Needed(each, job)));
    }
    uses.forEach(known::check);
  }

  private void check(Use use) {
    OutputReference reference = use.reference();
    List<Needed> named =
        dependencies.stream()
            .filter(each -> reference.names(each.job().id(), each.job().name()))
            .toList();
    if (named.isEmpty()) {
      throw refused(use, "the job has no dependency \"%s\". %s".formatted(reference.job(), all()));
    }
    if (named.stream().map(each -> each.job().id()).distinct().count() > 1) {
      String ids =
          named.stream().map(each -> each.job().id()).map(JobId::text).collect(joining(", "));
      throw refused(
          use,
          "several dependencies are named \"%s\". Give the id of one: %s."
              .formatted(reference.job(), ids));
    }
    Job of = named.getFirst().job();
    if (!of.project().equals(project.id())) {
      throw refused(
          use,
          "job %s belongs to another project, and outputs can only be read within project %s."
              .formatted(reference.job(), project.name()));
    }
    if (named.stream().allMatch(each -> each.dependency().condition() == Condition.STARTED)) {
      throw refused(
          use,
          "job %s may still run, because its condition in dependsOn is STARTED. Use SUCCEEDED."
              .formatted(reference.job()));
    }
    if (!of.spec().outputs().contains(reference.output())) {
      throw refused(
          use,
          "job %s declares no output \"%s\". %s"
              .formatted(reference.job(), reference.output(), declared(of)));
    }
  }

  private String all() {
    return dependencies.isEmpty()
        ? "Add the job to dependsOn."
        : "Its dependencies: "
            + dependencies.stream().map(each -> each.job().name()).collect(joining(", "))
            + ".";
  }

  private static String declared(Job job) {
    return job.spec().outputs().isEmpty()
        ? "It declares no outputs: add them to its field outputs."
        : "Its outputs: " + String.join(", ", job.spec().outputs()) + ".";
  }

  private Refusal refused(Use use, String why) {
    return Refusal.field(
        use.pointer(), use.reference().text() + " has no value: " + why, suggestion(use));
  }

  /** The only reference that could be meant, null if several could. */
  private @Nullable String suggestion(Use use) {
    List<String> possible =
        dependencies.stream()
            .map(Needed::job)
            .filter(job -> job.project().equals(project.id()))
            .flatMap(job ->
                job.spec().outputs().stream()
                    .map(output -> new OutputReference(job.name(), output)))
            .filter(other ->
                other.output().equals(use.reference().output())
                    != other.job().equals(use.reference().job()))
            .map(OutputReference::text)
            .distinct()
            .toList();
    return Optional.of(possible).filter(one -> one.size() == 1).map(List::getFirst).orElse(null);
  }
}
