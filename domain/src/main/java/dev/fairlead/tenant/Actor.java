package dev.fairlead.tenant;

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
 */
public record Actor(
    TenantId tenant,
    String name,
    SortedSet<Role> roles,
    @Nullable List<ProjectId> projects,
    @Nullable Credential credential) {
  public Actor {
    roles = Collections.unmodifiableSortedSet(new TreeSet<>(roles));
    projects = projects == null ? null : List.copyOf(projects);
  }

  /** With roles that count in the whole tenant. */
  public Actor(TenantId tenant, String name, Role... roles) {
    this(tenant, name, new TreeSet<>(List.of(roles)), null, null);
  }

  /** Whether every operation is allowed. */
  public boolean administrator() {
    return roles.contains(Role.ADMIN);
  }
}
