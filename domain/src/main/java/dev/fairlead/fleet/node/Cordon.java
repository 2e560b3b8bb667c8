package dev.fairlead.fleet.node;

/** Whether an operator excludes a node from use. Each value documents the transitions out of it. */
public enum Cordon {
  /** The node is not cordoned in Fairlead. An operator ends this state. */
  NONE,
  /**
   * The node is cordoned in Fairlead and accepts no new members, regardless of its cluster. An
   * operator ends this state.
   */
  ORDERED,
  /**
   * The cordon was lifted in Fairlead, but the cluster may still show it. The supervisor ends this
   * state when the cluster no longer shows it.
   */
  LIFTED
}
