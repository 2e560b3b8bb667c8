package dev.fairlead.work.world.postgres;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.job.ActiveJobs.NamedRun;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.PendingJob.FailedDependency;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** States of the jobs that a waiting job depends on. */
final class Dependencies {
  private Dependencies() {}

  /** State of one dependency. */
  private enum Standing {
    MET,
    UNMET,
    DEAD
  }

  /** A dependency of another tenant counts as missing. */
  static PendingJob pending(Job job, List<PendingJob.Offer> offers, Map<JobId, NamedRun> runs) {
    List<String> unmet = new ArrayList<>();
    FailedDependency dead = null;
    for (Dependency dependency : job.spec().dependsOn()) {
      NamedRun run = runs.get(dependency.job());
      NamedRun other = run != null && run.tenant().equals(job.tenant()) ? run : null;
      String name = other == null ? dependency.job().text() : other.name();
      switch (standing(other, dependency.condition())) {
        case MET -> {}
        case UNMET -> unmet.add(name);
        case DEAD ->
            dead =
                dead == null || dead.ended() == null
                    ? FailedDependency.of(
                        name, dependency.condition(), other == null ? null : other.run())
                    : dead;
      }
    }
    return new PendingJob(job, offers, unmet, dead);
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
