package dev.fairlead.fleet.node;

import static dev.fairlead.fleet.node.NodeState.ACTIVE;
import static dev.fairlead.fleet.node.NodeState.CORDONED;
import static dev.fairlead.fleet.node.NodeState.DRAINING;
import static dev.fairlead.fleet.node.NodeState.QUARANTINED;
import static dev.fairlead.fleet.node.NodeState.RETIRED;
import static dev.fairlead.fleet.node.NodeState.UNREACHABLE;

import dev.fairlead.kernel.lifecycle.TransitionTable;

/** The state machine of a node. An event without a row does not change the state. */
public final class NodeLifecycle {
  public static final TransitionTable<NodeState, NodeEvent> TABLE =
      TransitionTable.of(NodeState.class, NodeEvent.class)
          .on(NodeEvent.REPORTED_READY, ACTIVE, CORDONED, UNREACHABLE, RETIRED)
          .on(NodeEvent.REPORTED_CORDONED, CORDONED, ACTIVE, UNREACHABLE, RETIRED)
          .on(NodeEvent.REPORTED_NOT_READY, UNREACHABLE, ACTIVE, CORDONED, RETIRED)
          .on(
              NodeEvent.REPORTED_GONE,
              RETIRED,
              ACTIVE,
              CORDONED,
              DRAINING,
              QUARANTINED,
              UNREACHABLE)
          .on(NodeEvent.CORDON, CORDONED, ACTIVE)
          .on(NodeEvent.DRAIN, DRAINING, ACTIVE, CORDONED, UNREACHABLE)
          .on(NodeEvent.DRAIN_ENDED, CORDONED, DRAINING)
          .on(NodeEvent.QUARANTINE, QUARANTINED, ACTIVE, CORDONED, DRAINING, UNREACHABLE)
          .on(NodeEvent.RELEASE, CORDONED, QUARANTINED)
          .build();

  private NodeLifecycle() {}
}
