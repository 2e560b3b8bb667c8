package dev.fairlead.placement.ledger;

/** Counts node evaluations of a cycle: a bound that does not depend on the machine. */
public final class WorkBudget {
  private long left;

  public WorkBudget(long evaluations) {
    left = evaluations;
  }

  public static WorkBudget unbounded() {
    return new WorkBudget(Long.MAX_VALUE);
  }

  public void spend(long evaluations) {
    left -= evaluations;
  }

  /** A job that was begun is finished, so a cycle may spend a little more than it has. */
  public boolean spent() {
    return left <= 0;
  }
}
