package dev.fairlead.fleet.cluster.connection;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler that chooses the nodes of pods on a cluster. Fairlead always decides whether and
 * when a job starts, and on which cluster.
 *
 * @param kind FAIRLEAD, KUBE_SCHEDULER for the scheduler of the cluster, KUEUE, or POD_GROUP for a
 *     scheduler that binds the pods of a PodGroup together
 * @param api group and version of the kind {@code PodGroup}, null for other schedulers
 * @param queue LocalQueue of Kueue in the namespace of each project, or the queue of PodGroups.
 *     Null for schedulers without queues
 * @param schedulerName scheduler name of pods, null for the default scheduler of the cluster
 */
public record PlacementBackend(
    Kind kind, @Nullable String api, @Nullable String queue, @Nullable String schedulerName) {
  public static final PlacementBackend FAIRLEAD =
      new PlacementBackend(Kind.FAIRLEAD, null, null, null);

  /** Schedulers. */
  public enum Kind {
    /** Fairlead chooses the node of each pod. */
    FAIRLEAD,
    /** The scheduler of the cluster chooses the node of each pod. */
    KUBE_SCHEDULER,
    /** Kueue admits the pods of an attempt together, and the scheduler chooses their nodes. */
    KUEUE,
    /** A scheduler with PodGroups binds the pods of an attempt together. */
    POD_GROUP;

    /** Returns the name in lower case with hyphens, such as {@code kube-scheduler}. */
    public String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** Returns whether a scheduler of the cluster chooses nodes. */
  public boolean choosesNodes() {
    return kind != Kind.FAIRLEAD;
  }

  /**
   * The kind of the PodGroups of attempts, null for other schedulers.
   *
   * @throws IllegalStateException if this version does not support the stored kind
   */
  public @Nullable PodGroupApi podGroups() {
    return api == null
        ? null
        : PodGroupApi.named(api)
            .orElseThrow(() -> new IllegalStateException("no PodGroup of " + api));
  }
}
