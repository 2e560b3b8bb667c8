package dev.fairlead.fleet.node;

import dev.fairlead.work.event.FleetEventType;
import dev.fairlead.work.event.FleetFact;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The events of a change of a node. A quarantine has its own events, so the states before and
 * during it have none.
 */
public final class NodeFacts {
  private NodeFacts() {}

  /**
   * Returns the events of a report.
   *
   * @param version version of the node after it
   */
  public static List<FleetFact> of(Node before, Node after, long version) {
    List<FleetFact> facts = new ArrayList<>();
    notice(before, after, version).ifPresent(facts::add);
    moved(after.id(), before.state(), after.state(), version).ifPresent(facts::add);
    return facts;
  }

  /** Returns the event of a new node, empty unless the machine has a notice. */
  public static Optional<FleetFact> appeared(Node node) {
    return NodeNotice.of(node.taints())
        .map(notice -> fact(FleetEventType.NODE_NOTICE, node, node.version(), notice));
  }

  /** Returns the event of a change of the state, empty if it has none. */
  public static Optional<FleetFact> moved(
      NodeId node, NodeState before, NodeState after, long version) {
    FleetEventType type = before == after ? null : type(before, after);
    return type == null
        ? Optional.empty()
        : Optional.of(FleetFact.of(type, node, version, List.of(node)).with("was", before.name()));
  }

  private static @Nullable FleetEventType type(NodeState before, NodeState after) {
    return switch (after) {
      case ACTIVE -> FleetEventType.NODE_RETURNED;
      case CORDONED ->
          before == NodeState.QUARANTINED || before == NodeState.DRAINING
              ? null
              : FleetEventType.NODE_CORDONED;
      case DRAINING -> FleetEventType.NODE_DRAINING;
      case QUARANTINED -> null;
      case UNREACHABLE -> FleetEventType.NODE_LOST;
      case RETIRED -> FleetEventType.NODE_REMOVED;
    };
  }

  private static Optional<FleetFact> notice(Node before, Node after, long version) {
    NodeNotice was = NodeNotice.of(before.taints()).orElse(null);
    NodeNotice is = NodeNotice.of(after.taints()).orElse(null);
    if (is == null) {
      return was == null || after.state() == NodeState.RETIRED
          ? Optional.empty()
          : Optional.of(fact(FleetEventType.NODE_NOTICE_WITHDRAWN, after, version, was));
    }
    return was != null && was.taint().equals(is.taint())
        ? Optional.empty()
        : Optional.of(fact(FleetEventType.NODE_NOTICE, after, version, is));
  }

  private static FleetFact fact(FleetEventType type, Node node, long version, NodeNotice notice) {
    Instant deadline = notice.deadline();
    return FleetFact.of(type, node.id(), version, List.of(node.id()))
        .with("notice", notice.kind().name())
        .with("source", notice.source())
        .with("reason", notice.reason())
        .with("deadline", deadline == null ? null : deadline.toString());
  }
}
