package dev.fairlead.fleet.node;

/** Whether an operator excludes a node from use. Each value documents the transitions out of it. */
public enum Cordon {
  /** The node is not cordoned in Fairlead. An operator moves it out. */
  NONE,
  /**
   * The node is cordoned in Fairlead and accepts no new members, regardless of its cluster. An
   * operator moves it out.
   */
  ORDERED,
  /**
   * The cordon was lifted in Fairlead, but the cluster may still show it. The supervisor moves it
   * out when the cluster no longer shows it.
   */
  LIFTED
}
