package dev.fairlead.people.tenant;

/**
 * An isolation boundary: nothing of one tenant is visible to another.
 *
 * @param name DNS label, unique in the installation. It never changes
 * @param displayName human-readable name, at most 200 characters, may be empty
 */
public record Tenant(TenantId id, String name, String displayName, State state, long version) {
  /**
   * Name of the first tenant of each installation, and of the first project and queue of each
   * tenant.
   */
  public static final String FIRST = "default";

  /** State of a tenant. */
  public enum State {
    /** All operations are allowed. An administrator ends this state by archiving it. */
    ACTIVE,
    /**
     * No new objects are accepted, and its jobs are being cancelled. The cancelling loop archives
     * it after the last job has ended.
     */
    ARCHIVING,
    /** No new objects are accepted, and no job is live. The tenant can still be read. */
    ARCHIVED
  }

  public Tenant renamed(String text) {
    return new Tenant(id, name, text, state, version + 1);
  }

  public Tenant in(State next) {
    return new Tenant(id, name, displayName, next, version + 1);
  }
}
