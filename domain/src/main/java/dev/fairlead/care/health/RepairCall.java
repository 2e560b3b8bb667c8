package dev.fairlead.care.health;

/**
 * What a repairer is asked, the same again until the task is over.
 *
 * @param cluster its name
 * @param cause of the repair, in words
 */
public record RepairCall(
    Repairer repairer, String cluster, RepairTask task, String cause, Action action) {
  /** What a repairer does for the key of a task. */
  public enum Action {
    /** Does the step to the machine, once for each key, and says how far it is. */
    REPAIR,
    /** Tests whether the fault is gone, and says whether the machine passed. */
    TEST,
    /** Does not begin, or stops; then the machine is left alone. */
    WITHDRAW
  }
}
