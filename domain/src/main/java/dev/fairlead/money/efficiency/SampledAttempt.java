package dev.fairlead.money.efficiency;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.IdlePolicy;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * A running attempt with possible samples.
 *
 * @param namespace namespace of its pods. Pods of the same name in other places belong to others
 * @param pods names of its members that hold GPUs
 * @param policy idle policy of its project, null if none, and for an exempt job, without a
 *     suspension time for an element of an array, whose others may be busy
 * @param before the stored efficiency, null before its first sample
 */
public record SampledAttempt(
    AttemptId attempt,
    JobId job,
    TenantId tenant,
    String namespace,
    SortedSet<String> pods,
    @Nullable IdlePolicy policy,
    @Nullable Efficiency before) {
  /** Utilization in percent below which a member is idle. */
  double idleBelow() {
    return policy == null ? Efficiency.IDLE_BELOW : policy.below();
  }

  /** Returns whether the pod is a member of the attempt. */
  public boolean has(PodUse use) {
    return use.namespace().equals(namespace) && pods.contains(use.pod());
  }
}
