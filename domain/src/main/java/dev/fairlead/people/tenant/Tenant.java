package dev.fairlead.people.tenant;

/**
 * An isolation boundary: nothing of one tenant is visible to another.
 *
 * @param name DNS label, unique in the installation; it never changes
 * @param displayName what people call it, at most 200 characters; may be empty
 */
public record Tenant(TenantId id, String name, String displayName, State state, long version) {
  /**
   * The tenant that each installation begins with, and the project and queue that each tenant
   * begins with.
   */
  public static final String FIRST = "default";

  /** What a tenant may still do. */
  public enum State {
    /** Everything. Left by the archiving of an administrator. */
    ACTIVE,
    /**
     * Takes nothing new; its jobs are being cancelled. Left when the last of them has ended, by the
     * loop that cancels them.
     */
    ARCHIVING,
    /** Takes nothing new and has no job that lives; it can be read. */
    ARCHIVED
  }

  public Tenant renamed(String text) {
    return new Tenant(id, name, text, state, version + 1);
  }

  public Tenant in(State next) {
    return new Tenant(id, name, displayName, next, version + 1);
  }
}
