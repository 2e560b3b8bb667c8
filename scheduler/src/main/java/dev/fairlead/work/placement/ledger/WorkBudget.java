package dev.fairlead.work.placement.ledger;

/**
 * Counts the node evaluations of a cycle. The limit does not depend on the speed of the machine.
 */
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

  /** Limits the work until the part ends. Parts can be nested. */
  public Part part(long most) {
    return new Part(most);
  }

  /** A share of the budget. While it is open, the remainder of the budget cannot be spent. */
  public final class Part {
    private final long behind;
    private final long begun;

    private Part(long most) {
      behind = Math.max(0, left - Math.max(0, most));
      left -= behind;
      begun = left;
    }

    /** Releases the remainder of the budget and returns the amount that the part has spent. */
    public long end() {
      long spent = begun - left;
      left += behind;
      return spent;
    }
  }

  /**
   * Returns whether the budget is spent. A job that was begun is finished, so a cycle may spend
   * slightly more than its budget.
   */
  public boolean spent() {
    return left <= 0;
  }
}
