package dev.fairlead.work.job.service.query;

import dev.fairlead.work.attempt.member.Member;
import java.time.Instant;
import java.util.List;

/**
 * An attempt that cannot be observed.
 *
 * @param since start of that time
 * @param scope the missing objects, by current knowledge of cluster and nodes
 * @param message the same as text
 * @param members without evidence of their end, with their last observed state
 */
public record Unreachable(Instant since, Scope scope, String message, List<Member> members) {
  /** The missing objects. */
  public enum Scope {
    /** The cluster is silent, so none of its objects is visible. */
    CLUSTER,
    /** Nodes of its members. */
    NODE,
    /** Pods: cluster and nodes are visible, and a pod is missing, does not end or shows no end. */
    POD
  }

  public Unreachable {
    members = List.copyOf(members);
  }
}
