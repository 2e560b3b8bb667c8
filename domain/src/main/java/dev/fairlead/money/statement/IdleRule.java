package dev.fairlead.money.statement;

/** How what capacity cost that no job used comes to tenants. */
public enum IdleRule {
  /** It stands apart: no tenant pays it. */
  APART,
  /** By what each tenant used of the model in the month, where all may use it. */
  BY_USE,
  /** By the weights that tenants had in the quotas between them when the policy was written. */
  BY_QUOTA
}
