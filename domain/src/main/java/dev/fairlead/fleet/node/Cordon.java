package dev.fairlead.fleet.node;

/** Whether an operator keeps a node out of use; each value says who moves it out. */
public enum Cordon {
  /** Nobody here does. An operator moves it out. */
  NONE,
  /**
   * Ordered here: the node takes nothing new, whatever its cluster says. An operator moves it out.
   */
  ORDERED,
  /**
   * Lifted here, while our mark may still be on the cluster. The supervisor moves it out when that
   * is gone.
   */
  LIFTED
}
