package dev.fairlead.money.budget;

/** Does with attempts what their budgets say that is to become of them at the wall. */
public interface WallStep {
  /**
   * In the open transaction. An attempt whose budget has room by now, or lets it finish, goes on.
   *
   * @return whether it was stopped
   */
  boolean meet(OverdrawingAttempt attempt);
}
