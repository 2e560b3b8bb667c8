package dev.fairlead.work.job.service;

import dev.fairlead.work.attempt.Member;
import java.time.Instant;
import java.util.List;

/**
 * An attempt of which nobody can say whether it still runs.
 *
 * @param since since when
 * @param scope what cannot be seen, by cluster and nodes as they are known now
 * @param message the same in words
 * @param members those whose end nothing proves, as they were last seen
 */
public record Unseen(Instant since, Scope scope, String message, List<Member> members) {
  /** What cannot be seen. */
  public enum Scope {
    /** Its cluster: nothing on it can be seen. */
    CLUSTER,
    /** Nodes that its members run on. */
    NODE,
    /**
     * Pods: cluster and nodes can be seen, and a pod is not there, does not end or shows no end.
     */
    POD
  }

  public Unseen {
    members = List.copyOf(members);
  }
}
