package dev.fairlead.work.world;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.job.store.ActiveJobs.NamedRun;
import dev.fairlead.work.output.OutputReference;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.world.ElementDependencies.Outcome;
import dev.fairlead.work.world.PendingJob.FailedDependency;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * States of the jobs that a waiting job depends on.
 *
 * @param runs the jobs, by id. A missing job has no row
 * @param outputs names of the outputs of ended jobs whose outputs waiting jobs reference
 * @param elements elements of arrays that waiting elements need
 */
record Dependencies(
    Map<JobId, NamedRun> runs,
    Map<JobId, SortedSet<String>> outputs,
    Map<JobId, List<JobElement>> elements) {
  static final Dependencies NONE = new Dependencies(Map.of(), Map.of(), Map.of());

  /** A dependency of another tenant counts as missing. */
  PendingJob pending(Job job, List<PendingJob.Offer> offers, List<OutputReference> references) {
    return pending(job, new Outcome(offers, List.of(), null, List.of()), references);
  }

  /** Returns the pending job of an array with dependencies per element. */
  PendingJob pending(Job job, Outcome elements, List<OutputReference> references) {
    List<String> unmet = new ArrayList<>(elements.unmet());
    FailedDependency dead = elements.dead();
    boolean mayBeSkipped = false;
    for (Dependency dependency : job.spec().dependsOn()) {
      NamedRun other = run(job, dependency);
      if (other != null && dependency.perElement()) {
        continue;
      }
      String name = other == null ? dependency.job().text() : other.name();
      JobStatus life = other == null ? null : other.run();
      switch (Standing.of(life, dependency.condition())) {
        case MET -> {
          FailedDependency silent = silent(Objects.requireNonNull(other), references);
          dead = silent == null ? dead : FailedDependency.first(dead, silent);
        }
        case UNMET -> {
          unmet.add(name);
          mayBeSkipped |= dependency.condition() == Dependency.Condition.FAILED;
        }
        case DEAD ->
            dead =
                FailedDependency.first(
                    dead, FailedDependency.of(name, dependency.condition(), life));
      }
    }
    boolean waits = mayBeSkipped && dead != null && dead.missing() != null;
    return new PendingJob(job, elements.offers(), unmet, waits ? null : dead);
  }

  private @Nullable NamedRun run(Job job, Dependency dependency) {
    NamedRun run = runs.get(dependency.job());
    return run != null && run.tenant().equals(job.tenant()) ? run : null;
  }

  /** The dependencies of the elements of an array. */
  ElementDependencies ofElements(Job job) {
    return ElementDependencies.of(
        job,
        dependency -> {
          NamedRun run = run(job, dependency);
          return run == null
              ? null
              : new ElementDependencies.Array(
                  run.name(), run.run(), elements.getOrDefault(run.id(), List.of()));
        });
  }

  /** The dependency without a referenced output, null if it reported all of them. */
  private @Nullable FailedDependency silent(NamedRun other, List<OutputReference> references) {
    if (!other.run().ended()) {
      return null;
    }
    SortedSet<String> reported = outputs.getOrDefault(other.id(), Collections.emptySortedSet());
    return references.stream()
        .filter(each -> each.names(other.id(), other.name()) && !reported.contains(each.output()))
        .findFirst()
        .map(each -> FailedDependency.without(each, other.name(), other.run().state()))
        .orElse(null);
  }
}
