package dev.fairlead.people.audit;

/** What of the configuration has a history. What holds a secret is not among it. */
public enum ConfigKind {
  /** A budget, by its name. */
  BUDGET(false),
  /**
   * A quota between tenants: {@code fleet} is the one above all, and {@code fleet/NAME} that of a
   * tenant.
   */
  FLEET_QUOTA(true),
  /** What the table of faults does with a code, by the code. */
  HEALTH_RULE(true),
  /** What becomes of the cost of idle capacity, by its first month: one is never changed. */
  IDLE_COST(true),
  /** A licence, by its name. */
  LICENCE(false),
  /** Limits of a tenant or a project, by its id. */
  LIMITS(false),
  /** A pool, by its name. */
  POOL(true),
  /** A price, by its id: one is never changed, another follows. */
  PRICE(false),
  /** A project, by its name. */
  PROJECT(false),
  /** A queue, or a quota above queues, by its name. */
  QUEUE(false),
  /** A tenant, by its name. */
  TENANT(true),
  /** The keys of labels by which use is added up: {@code usage}, one of a tenant. */
  USAGE_LABELS(false),
  /** A webhook, by the id of its tenant or project, a slash and its name. */
  WEBHOOK(false);

  private final boolean ofPlatform;

  ConfigKind(boolean ofPlatform) {
    this.ofPlatform = ofPlatform;
  }

  /**
   * Whether it belongs to the platform and may be of other tenants. A tenant's callers do not read
   * it elsewhere, or less of it.
   */
  public boolean ofPlatform() {
    return ofPlatform;
  }
}
