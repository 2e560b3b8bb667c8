package dev.fairlead.work.placement.laws;

import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.util.List;

/** Specs that ask for less than another. */
final class SmallerSpecs {
  private SmallerSpecs() {}

  static JobSpec with(JobSpec s, List<RoleSpec> roles, PlacementSpec placement) {
    return new JobSpec(
        s.name(),
        s.queue(),
        s.priorityClass(),
        roles,
        placement,
        s.launcher(),
        s.maxRuntime(),
        s.notBefore(),
        s.deadline(),
        s.dependsOn(),
        s.preemption(),
        s.retry(),
        s.onUnreachable(),
        s.array(),
        s.volumes(),
        s.licences(),
        s.labels(),
        s.annotations());
  }

  /** The role with one member less. */
  static RoleSpec fewer(RoleSpec r) {
    int count = r.count() - 1;
    return new RoleSpec(
        r.name(),
        count,
        Math.min(r.minCount(), count),
        r.image(),
        r.command(),
        r.env(),
        r.secretEnv(),
        r.gpu(),
        r.cpuMilli(),
        r.memoryMiB(),
        r.shmMiB(),
        r.rdma(),
        r.topology());
  }
}
