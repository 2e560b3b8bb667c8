package dev.fairlead.fleet.cluster.connection;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler that chooses the nodes of pods on a cluster. Fairlead always decides whether and
 * when a job starts, and on which cluster.
 *
 * @param queue LocalQueue of Kueue in the namespace of each project, null for other schedulers
 * @param schedulerName {@code spec.schedulerName} of pods, null for the default scheduler of the
 *     cluster
 */
public record PlacementBackend(Kind kind, @Nullable String queue, @Nullable String schedulerName) {
  public static final PlacementBackend FAIRLEAD = new PlacementBackend(Kind.FAIRLEAD, null, null);

  /** Schedulers. */
  public enum Kind {
    /** Fairlead chooses the node of each pod. */
    FAIRLEAD,
    /** The scheduler of the cluster chooses the node of each pod. */
    KUBE_SCHEDULER,
    /** Kueue admits the pods of an attempt together, and the scheduler chooses their nodes. */
    KUEUE;

    /** In lower case with hyphens, such as {@code kube-scheduler}. */
    public String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** Whether a scheduler of the cluster chooses nodes. */
  public boolean choosesNodes() {
    return kind != Kind.FAIRLEAD;
  }
}
