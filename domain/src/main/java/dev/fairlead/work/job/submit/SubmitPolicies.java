package dev.fairlead.work.job.submit;

import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.spec.JobSpec;

/** The policies of a tenant and its projects for new jobs. */
@FunctionalInterface
public interface SubmitPolicies {
  /** Allows every job. */
  SubmitPolicies NONE = (tenant, user, project, spec) -> {};

  /**
   * @param user the user of the job, regardless of who changes it
   * @throws dev.fairlead.kernel.problem.Refusal POLICY_VIOLATION, naming each policy and its owner
   */
  void require(TenantId tenant, String user, Project project, JobSpec spec);
}
