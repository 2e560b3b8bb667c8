package dev.fairlead.tenant;

import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A person or a service account with everything it may do. Resolved once for each request.
 *
 * @param name what events and the audit log show
 * @param home the tenant whose names it means
 * @param platform roles that count everywhere
 * @param memberships roles in tenants and projects
 * @param credential the API token of the request, null when it came with none
 */
public record Principal(
    String name,
    Kind kind,
    TenantId home,
    SortedSet<Role> platform,
    List<Membership> memberships,
    @Nullable Credential credential) {
  /** What stands behind a principal. */
  public enum Kind {
    /** A person. */
    USER,
    /** A program with a token of its own; its name begins with {@link #SERVICE_ACCOUNT_PREFIX}. */
    SERVICE_ACCOUNT;

    public static Kind of(String name) {
      return name.startsWith(SERVICE_ACCOUNT_PREFIX) ? SERVICE_ACCOUNT : USER;
    }
  }

  /** Keeps names of programs apart from those of people. */
  public static final String SERVICE_ACCOUNT_PREFIX = "sa:";

  /** Name of the administrator on this machine, where no sign-in is needed. */
  public static final String LOCAL = "local";

  /** Name of the bearer of the bootstrap token. */
  public static final String BOOTSTRAP = "bootstrap";

  public Principal {
    platform = Collections.unmodifiableSortedSet(new TreeSet<>(platform));
    memberships = List.copyOf(memberships);
  }

  /** One that did not come with an API token. */
  public Principal(
      String name,
      Kind kind,
      TenantId home,
      SortedSet<Role> platform,
      List<Membership> memberships) {
    this(name, kind, home, platform, memberships, null);
  }

  /**
   * Whether the name is that of an administrator without an account. Jobs of these names are the
   * administrators' own.
   */
  public static boolean reserved(String name) {
    return name.equals(LOCAL) || name.equals(BOOTSTRAP);
  }

  /**
   * The principal in its tenant.
   *
   * @param project what the request is about, null for the tenant as a whole: roles of a project
   *     then do not count
   */
  public Actor at(@Nullable ProjectId project) {
    TreeSet<Role> roles = new TreeSet<>(platform);
    for (Membership held : memberships) {
      if (held.tenant().equals(home)
          && (held.project() == null || held.project().equals(project))) {
        roles.add(held.role());
      }
    }
    return new Actor(home, name, roles, credential);
  }

  /** The principal in its tenant with the roles of all its projects, for what is no project's. */
  public Actor anywhere() {
    TreeSet<Role> roles = new TreeSet<>(platform);
    memberships.stream()
        .filter(held -> held.tenant().equals(home))
        .forEach(held -> roles.add(held.role()));
    return new Actor(home, name, roles, credential);
  }
}
