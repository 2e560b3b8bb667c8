package dev.fairlead.money.budget;

/** Enforces a budget's exhaustion policy on a running attempt. */
public interface BudgetEnforcer {
  /**
   * Runs in the open transaction. An attempt continues if its budget has a remainder again, or
   * permits running attempts to finish.
   *
   * @return whether it was stopped
   */
  boolean enforce(OverdrawingAttempt attempt);
}
