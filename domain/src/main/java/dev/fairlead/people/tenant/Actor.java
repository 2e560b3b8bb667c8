package dev.fairlead.people.tenant;

import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A principal at work in one tenant. Resolved once for a request, then passed as an argument.
 *
 * @param name what events and the audit log show
 * @param roles those that count for what the request is about
 * @param projects the projects in which they count; null when they count in the whole tenant
 * @param credential the API token of the request, null when it came with none
 * @param given those of the roles that hang on no stored membership: a sign-in or the platform
 *     gives them
 * @param origin the request that it sent, null outside of requests
 * @param cause why it acts
 */
public record Actor(
    TenantId tenant,
    String name,
    SortedSet<Role> roles,
    @Nullable List<ProjectId> projects,
    @Nullable Credential credential,
    SortedSet<Role> given,
    @Nullable Origin origin,
    Cause cause) {
  public Actor {
    roles = Collections.unmodifiableSortedSet(new TreeSet<>(roles));
    given = Collections.unmodifiableSortedSet(new TreeSet<>(given));
    projects = projects == null ? null : List.copyOf(projects);
  }

  /** Outside of a request. */
  public Actor(
      TenantId tenant,
      String name,
      SortedSet<Role> roles,
      @Nullable List<ProjectId> projects,
      @Nullable Credential credential,
      SortedSet<Role> given) {
    this(tenant, name, roles, projects, credential, given, null, Cause.NONE);
  }

  /** With roles that count in the whole tenant and hang on no membership. */
  public Actor(TenantId tenant, String name, Role... roles) {
    this(tenant, name, new TreeSet<>(List.of(roles)), null, null, new TreeSet<>(List.of(roles)));
  }

  /** The same with other roles. */
  public Actor with(SortedSet<Role> others) {
    return new Actor(tenant, name, others, projects, credential, given, origin, cause);
  }

  /** The same at work in another tenant. */
  public Actor in(TenantId other) {
    return new Actor(other, name, roles, projects, credential, given, origin, cause);
  }

  /** The same by that request. */
  public Actor by(Origin request) {
    return new Actor(tenant, name, roles, projects, credential, given, request, cause);
  }

  /** The same for that cause. */
  public Actor because(Cause why) {
    return new Actor(tenant, name, roles, projects, credential, given, origin, why);
  }

  /** Whether every operation is allowed. */
  public boolean administrator() {
    return roles.contains(Role.ADMIN);
  }
}
