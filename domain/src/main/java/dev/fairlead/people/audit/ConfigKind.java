package dev.fairlead.people.audit;

/** The kinds of configuration that have a history. Objects that contain secrets are excluded. */
public enum ConfigKind {
  /** A budget, by its name. */
  BUDGET(false),
  /** A cloud identity, by the id of its tenant, a slash and its name. */
  CLOUD_IDENTITY(false),
  /**
   * A quota between tenants: {@code fleet} is above all tenants, and {@code fleet/NAME} is the node
   * of a tenant.
   */
  FLEET_QUOTA(true),
  /** The action of the fault table for a code, by the code. */
  HEALTH_RULE(true),
  /** A health test, by its name. */
  HEALTH_TEST(true),
  /** The allocation of the cost of idle capacity, by its first month. It never changes. */
  IDLE_COST(true),
  /** A licence, by its name. */
  LICENCE(false),
  /** Limits of a tenant or a project, by its id. */
  LIMITS(false),
  /** A model service, by the id of its project, a slash and its name. */
  MODEL_SERVICE(false),
  /** A policy for jobs, by the id of its tenant or project, a slash and its name. */
  POLICY(false),
  /** A pool, by its name. */
  POOL(true),
  /** A price, by its id. A price never changes: another price replaces it. */
  PRICE(false),
  /** A project, by its name. */
  PROJECT(false),
  /** A queue, or an inner quota node, by its name. */
  QUEUE(false),
  /** A schedule, by the id of its project, a slash and its name. */
  SCHEDULE(false),
  /** A template of jobs, by the id of its tenant or project, a slash and its name. */
  TEMPLATE(false),
  /** A tenant, by its name. */
  TENANT(true),
  /** The label keys by which usage is summed: {@code usage}, one for each tenant. */
  USAGE_LABELS(false),
  /** A warm pool of sessions, by the id of its project, a slash and its name. */
  WARM_POOL(false),
  /** A webhook, by the id of its tenant or project, a slash and its name. */
  WEBHOOK(false);

  private final boolean ofPlatform;

  ConfigKind(boolean ofPlatform) {
    this.ofPlatform = ofPlatform;
  }

  /**
   * Returns whether the kind belongs to the platform and may concern other tenants. Callers of a
   * tenant otherwise cannot read it, or only read a part.
   */
  public boolean ofPlatform() {
    return ofPlatform;
  }
}
