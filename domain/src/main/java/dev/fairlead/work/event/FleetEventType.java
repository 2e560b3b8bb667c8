package dev.fairlead.work.event;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The types of events of nodes, GPUs, incidents, quarantines and clusters. */
public enum FleetEventType {
  /** The provider or an autoscaler announces the end, a restart or a pause of the machine. */
  NODE_NOTICE,
  /** The announcement has disappeared. */
  NODE_NOTICE_WITHDRAWN,
  /** The node is closed for new jobs, on its cluster or in Fairlead. */
  NODE_CORDONED,
  /** A drain of the node has begun. */
  NODE_DRAINING,
  /** The kubelet of the node is silent or not ready. */
  NODE_LOST,
  /** The cluster no longer lists the node. */
  NODE_REMOVED,
  /** The node accepts jobs again. */
  NODE_RETURNED,
  INCIDENT_OPENED,
  INCIDENT_ENDED,
  /** A quarantine of the node has begun, or the quarantine of a GPU now excludes the node. */
  NODE_QUARANTINED,
  /** The quarantine has ended. */
  NODE_RELEASED,
  /** A quarantine of one GPU of the node has begun. */
  GPU_QUARANTINED,
  /** The quarantine has ended. */
  GPU_RELEASED,
  CLUSTER_DEGRADED,
  CLUSTER_UNREACHABLE,
  CLUSTER_DRAINING,
  CLUSTER_DISABLED,
  /** The cluster accepts jobs again. */
  CLUSTER_RECOVERED;

  private final String text =
      Arrays.stream(name().split("_"))
          .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
          .collect(Collectors.joining());

  /** Returns the name in events: {@code NodeCordoned}. */
  public String text() {
    return text;
  }

  /** Returns whether the event is a change of the state of a node. */
  public boolean ofNodeState() {
    return switch (this) {
      case NODE_CORDONED, NODE_DRAINING, NODE_LOST, NODE_REMOVED, NODE_RETURNED -> true;
      default -> false;
    };
  }

  /** Returns whether the event is the start or the end of a quarantine. */
  boolean ofQuarantine() {
    return switch (this) {
      case NODE_QUARANTINED, NODE_RELEASED, GPU_QUARANTINED, GPU_RELEASED -> true;
      default -> false;
    };
  }

  /** Returns whether the event reports or withdraws an announcement about a machine. */
  boolean announces() {
    return this == NODE_NOTICE || this == NODE_NOTICE_WITHDRAWN;
  }
}
