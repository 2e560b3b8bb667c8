package dev.fairlead.care.health;

/**
 * A row of the fault table, set by an operator.
 *
 * @param xid the row
 * @param shipped whether it equals the shipped row, and therefore changes with it
 * @param version from 1, incremented with each change, 0 for a row that was never set
 */
public record HealthRule(Xid xid, boolean shipped, long version) {
  /** Creates a rule that was never set. */
  public static HealthRule shipped(Xid xid) {
    return new HealthRule(xid, true, 0);
  }

  /**
   * Returns the rule with another row.
   *
   * @param of the shipped row of the code
   */
  public HealthRule with(Xid next, Xid of) {
    return new HealthRule(next, next.equals(of), version + 1);
  }
}
