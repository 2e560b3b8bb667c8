package dev.fairlead.care.health.repair;

/**
 * A request to a repairer, repeated unchanged until the task has ended.
 *
 * @param cluster its name
 * @param cause cause of the repair, as text
 */
public record RepairCall(
    Repairer repairer, String cluster, RepairTask task, String cause, Action action) {
  /** The requested action for the key of a task. */
  public enum Action {
    /** Performs the step on the machine, once for each key, and reports its progress. */
    REPAIR,
    /** Tests whether the fault is gone, and reports whether the machine passed. */
    TEST,
    /** Does not begin, or stops. The machine is not touched afterwards. */
    WITHDRAW
  }
}
