package dev.fairlead.work.job.service.spi;

import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.JobSpec;
import java.util.Optional;

/** Finds the Ray pools that jobs name. */
@FunctionalInterface
public interface RayPools {
  /** Accepts every name. */
  RayPools ANY = (spec, project) -> {};

  /**
   * Checks the Ray pool of a driver. Other jobs pass.
   *
   * @throws dev.fairlead.kernel.problem.Refusal INVALID_FIELD for a Ray pool that the project does
   *     not have, or that is being deleted
   */
  void known(JobSpec spec, Project project);

  /** Why a driver has no Ray cluster, empty for other jobs. Must be called in a transaction. */
  default Optional<Blocker> waits(Job job) {
    return Optional.empty();
  }
}
