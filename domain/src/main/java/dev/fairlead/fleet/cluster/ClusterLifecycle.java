package dev.fairlead.fleet.cluster;

import static dev.fairlead.fleet.cluster.ClusterState.ACTIVE;
import static dev.fairlead.fleet.cluster.ClusterState.DEGRADED;
import static dev.fairlead.fleet.cluster.ClusterState.DISABLED;
import static dev.fairlead.fleet.cluster.ClusterState.DRAINING;
import static dev.fairlead.fleet.cluster.ClusterState.UNREACHABLE;

import dev.fairlead.kernel.lifecycle.TransitionTable;

/** The state machine of a cluster. An event without a row does not change the state. */
public final class ClusterLifecycle {
  public static final TransitionTable<ClusterState, ClusterEvent> TABLE =
      TransitionTable.of(ClusterState.class, ClusterEvent.class)
          .on(ClusterEvent.CONTACT, ACTIVE, DEGRADED, UNREACHABLE)
          .on(ClusterEvent.TROUBLE, DEGRADED, ACTIVE, UNREACHABLE)
          .on(ClusterEvent.SILENCE, UNREACHABLE, ACTIVE, DEGRADED)
          .on(ClusterEvent.DRAIN, DRAINING, ACTIVE, DEGRADED, UNREACHABLE)
          .on(ClusterEvent.DISABLE, DISABLED, ACTIVE, DEGRADED, UNREACHABLE, DRAINING)
          .on(ClusterEvent.ENABLE, ACTIVE, DRAINING, DISABLED)
          .build();

  private ClusterLifecycle() {}
}
