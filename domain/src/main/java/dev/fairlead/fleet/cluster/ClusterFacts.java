package dev.fairlead.fleet.cluster;

import dev.fairlead.work.event.FleetEventType;
import dev.fairlead.work.event.FleetFact;
import java.util.List;
import java.util.stream.Stream;

/** The events of a change of a cluster. */
public final class ClusterFacts {
  private ClusterFacts() {}

  /** Returns the event of a change of the state, empty if the state is the same. */
  public static List<FleetFact> of(Cluster before, Cluster after) {
    return before.state() == after.state()
        ? List.of()
        : List.of(
            FleetFact.of(type(after.state()), after.id(), after.version(), List.of())
                .with("was", before.state().name())
                .internal("trouble", after.trouble()));
  }

  /** Returns whether an operator made the change. The supervisor makes all others. */
  public static boolean ordered(Cluster before, Cluster after) {
    return Stream.of(before.state(), after.state())
        .anyMatch(state -> state == ClusterState.DRAINING || state == ClusterState.DISABLED);
  }

  private static FleetEventType type(ClusterState state) {
    return switch (state) {
      case ACTIVE -> FleetEventType.CLUSTER_RECOVERED;
      case DEGRADED -> FleetEventType.CLUSTER_DEGRADED;
      case UNREACHABLE -> FleetEventType.CLUSTER_UNREACHABLE;
      case DRAINING -> FleetEventType.CLUSTER_DRAINING;
      case DISABLED -> FleetEventType.CLUSTER_DISABLED;
    };
  }
}
