package dev.fairlead.fleet.cluster;

/** What moves a cluster. */
public enum ClusterEvent {
  /** The cluster answered and its inventory is current. */
  CONTACT,
  /** The cluster answers with errors or its breaker is open. */
  TROUBLE,
  /** No answer for longer than the bound. */
  SILENCE,
  /** An operator drains it. */
  DRAIN,
  /** An operator disables it. */
  DISABLE,
  /** An operator takes it back into service. */
  ENABLE
}
