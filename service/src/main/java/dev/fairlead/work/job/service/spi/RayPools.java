package dev.fairlead.work.job.service.spi;

import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.spec.JobSpec;

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
}
