package dev.fairlead.work.world.postgres;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.store.ActiveJobs.NamedRun;
import dev.fairlead.work.output.OutputReference;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.world.PendingJob;
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
 */
record Dependencies(Map<JobId, NamedRun> runs, Map<JobId, SortedSet<String>> outputs) {
  static final Dependencies NONE = new Dependencies(Map.of(), Map.of());

  /** State of one dependency. */
  private enum Standing {
    MET,
    UNMET,
    DEAD
  }

  /** A dependency of another tenant counts as missing. */
  PendingJob pending(Job job, List<PendingJob.Offer> offers, List<OutputReference> references) {
    List<String> unmet = new ArrayList<>();
    FailedDependency dead = null;
    boolean mayBeSkipped = false;
    for (Dependency dependency : job.spec().dependsOn()) {
      NamedRun run = runs.get(dependency.job());
      NamedRun other = run != null && run.tenant().equals(job.tenant()) ? run : null;
      String name = other == null ? dependency.job().text() : other.name();
      switch (standing(other, dependency.condition())) {
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
                    dead,
                    FailedDependency.of(
                        name, dependency.condition(), other == null ? null : other.run()));
      }
    }
    boolean waits = mayBeSkipped && dead != null && dead.missing() != null;
    return new PendingJob(job, offers, unmet, waits ? null : dead);
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

  private static Standing standing(@Nullable NamedRun other, Dependency.Condition condition) {
    if (other == null) {
      return Standing.DEAD;
    }
    boolean met =
        switch (condition) {
          case SUCCEEDED -> other.run().state() == JobState.SUCCEEDED;
          case FAILED -> other.run().state() == JobState.FAILED;
          case ENDED -> other.run().ended();
          case STARTED -> other.run().startedAt() != null;
        };
    return met ? Standing.MET : other.run().ended() ? Standing.DEAD : Standing.UNMET;
  }
}
