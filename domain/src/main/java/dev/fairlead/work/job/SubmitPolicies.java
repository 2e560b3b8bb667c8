package dev.fairlead.work.job;

import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.spec.JobSpec;

/** The policies of a tenant and its projects for new jobs. */
@FunctionalInterface
public interface SubmitPolicies {
  /** Allows every job. */
  SubmitPolicies NONE = (actor, project, spec) -> {};

  /**
   * @throws dev.fairlead.kernel.problem.Refusal POLICY_VIOLATION, naming each policy and its owner
   */
  void require(Actor actor, Project project, JobSpec spec);
}
