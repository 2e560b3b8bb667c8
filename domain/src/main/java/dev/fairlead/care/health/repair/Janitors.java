package dev.fairlead.care.health.repair;

/** Repairers inside clusters, driven by node annotations. */
public interface Janitors {
  /**
   * Calls the repairer once, for at most a few seconds. Must not be called inside a transaction.
   */
  RepairAnswer ask(RepairCall call);

  /** Ends the requests for the task. Never throws because of a cluster's behaviour. */
  void over(RepairTask task);
}
