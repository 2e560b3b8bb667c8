package dev.fairlead.work.attempt;

import java.util.List;
import java.util.Optional;

/**
 * A cluster, rather than a single node, refused the pods of an attempt. The attempt uses no retry,
 * and the scheduler excludes the cluster for a while.
 */
public enum ClusterRefusal {
  /**
   * It accepts no pods of the project now, regardless of the job: its quota is full, a permission
   * is missing, its namespace is being removed, or a webhook does not respond.
   */
  FOR_NOW,
  /** A policy of the cluster denies these pods. Another cluster may have no such rule. */
  POLICY,
  /**
   * The cluster has no volume claim with the name that the job mounts. Another cluster may have it.
   */
  STORAGE;

  private static final String PREFIX = "CLUSTER_REFUSED_";

  /**
   * Maximum number of attempts of a job whose pods are denied by policy on every eligible cluster.
   */
  public static final int MOST_TRIES = 4;

  /**
   * @param message the message of the API server, and the next step
   * @param attempt number of the attempt, from 1
   */
  public Failure failure(String message, int attempt) {
    return Failure.of(FailureCause.PLACEMENT_CONFLICT, message, attempt)
        .withEvidence(List.of(PREFIX + name()));
  }

  /** The result is empty for a failure that is none of these. */
  public static Optional<ClusterRefusal> of(Failure failure) {
    for (ClusterRefusal refusal : values()) {
      if (failure.evidence().contains(PREFIX + refusal.name())) {
        return Optional.of(refusal);
      }
    }
    return Optional.empty();
  }
}
