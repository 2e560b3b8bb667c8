package dev.fairlead.audit;

/** What of the configuration has a history. What holds a secret is not among it. */
public enum ConfigKind {
  /** A budget, by its name. */
  BUDGET,
  /** Limits of a tenant or a project, by its id. */
  LIMITS,
  /** A pool, by its name. */
  POOL,
  /** A price, by its id: one is never changed, another follows. */
  PRICE,
  /** A project, by its name. */
  PROJECT,
  /**
   * A queue, or a quota above queues, by its name; {@code fleet} is the quota above all tenants,
   * and {@code fleet/NAME} that of a tenant.
   */
  QUEUE,
  /** A tenant, by its name. */
  TENANT
}
