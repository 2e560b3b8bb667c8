package dev.fairlead.care.health;

/**
 * A row of the table of faults as an operator set it.
 *
 * @param xid the row
 * @param shipped whether it was set to what Fairlead ships, and so goes with that as it changes
 * @param version from 1, one more with each change; 0 for a row that was never set
 */
public record HealthRule(Xid xid, boolean shipped, long version) {
  /** One that was never set. */
  public static HealthRule shipped(Xid xid) {
    return new HealthRule(xid, true, 0);
  }

  /**
   * With another row.
   *
   * @param of what Fairlead ships for the code
   */
  public HealthRule with(Xid next, Xid of) {
    return new HealthRule(next, next.equals(of), version + 1);
  }
}
