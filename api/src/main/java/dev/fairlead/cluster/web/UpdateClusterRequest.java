package dev.fairlead.cluster.web;

import dev.fairlead.cluster.ClusterEvent;
import io.swagger.v3.oas.annotations.media.Schema;

/** What can be changed of a registered cluster. */
@Schema(name = "UpdateClusterRequest")
record UpdateClusterRequest(WantedState state) {
  /** States that an operator may ask for. */
  enum WantedState {
    ACTIVE(ClusterEvent.ENABLE),
    DRAINING(ClusterEvent.DRAIN),
    DISABLED(ClusterEvent.DISABLE);

    private final ClusterEvent event;

    WantedState(ClusterEvent event) {
      this.event = event;
    }

    ClusterEvent event() {
      return event;
    }
  }
}
