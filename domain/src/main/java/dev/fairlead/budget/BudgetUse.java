package dev.fairlead.budget;

import dev.fairlead.resources.Saturating;

/**
 * What is charged to a budget in one period, in thousandths of a GPU times milliseconds.
 *
 * @param spent used by attempts that have ended
 * @param reserved for attempts that hold GPUs, what they have used so far included
 * @param alerted the highest threshold that was announced, in percent; 0 for none
 */
public record BudgetUse(long spent, long reserved, int alerted) {
  public static final BudgetUse NOTHING = new BudgetUse(0, 0, 0);

  /** What no other reservation may use. */
  public long charged() {
    return Saturating.plus(spent, reserved);
  }

  BudgetUse reserving(long more) {
    return new BudgetUse(spent, Saturating.plus(reserved, more), alerted);
  }

  BudgetUse spending(long more) {
    return new BudgetUse(Saturating.plus(spent, more), reserved, alerted);
  }

  BudgetUse beyond(BudgetUse other) {
    return new BudgetUse(spent - other.spent, reserved - other.reserved, alerted);
  }

  BudgetUse alerted(int percent) {
    return new BudgetUse(spent, reserved, percent);
  }
}
