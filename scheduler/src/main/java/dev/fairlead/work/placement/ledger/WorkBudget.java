package dev.fairlead.work.placement.ledger;

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

  /** Until the part ends at most this much of the budget may be spent; parts nest. */
  public Part part(long most) {
    return new Part(most);
  }

  /** A share of the budget: as long as it is open, what is behind it cannot be spent. */
  public final class Part {
    private final long behind;
    private final long begun;

    private Part(long most) {
      behind = Math.max(0, left - Math.max(0, most));
      left -= behind;
      begun = left;
    }

    /** The rest may be spent again; returns what the part has spent. */
    public long end() {
      long spent = begun - left;
      left += behind;
      return spent;
    }
  }

  /** A job that was begun is finished, so a cycle may spend a little more than it has. */
  public boolean spent() {
    return left <= 0;
  }
}
