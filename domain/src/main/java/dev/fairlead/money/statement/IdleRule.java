package dev.fairlead.money.statement;

/** Rule that distributes the cost of idle capacity to tenants. */
public enum IdleRule {
  /** No tenant is charged. */
  APART,
  /** Divides the cost by each tenant's usage of the model in the month, on shared capacity. */
  BY_USE,
  /**
   * Divides the cost by the weights that tenants had in the quotas between them when the policy was
   * written.
   */
  BY_QUOTA
}
