package dev.fairlead.care.health;

/** Repairers that run in their clusters and are asked by annotations of the nodes. */
public interface Janitors {
  /** Asks once, for some seconds at most. Not inside a transaction. */
  RepairAnswer ask(RepairCall call);

  /** Nothing more is asked for the task. Never throws for what a cluster does. */
  void over(RepairTask task);
}
