package dev.fairlead.people.tenant;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A principal that acts in one tenant. Resolved once for a request, then passed as an argument.
 *
 * @param name shown in events and the audit log
 * @param roles that apply to the object of the request
 * @param projects the projects in which they apply, null if they apply in the whole tenant
 * @param credential the API token of the request, null if none
 * @param given roles without a stored membership, granted by a sign-in or the platform
 * @param call the request that it sent, and its reason
 */
@RecordBuilder
public record Actor(
    TenantId tenant,
    String name,
    SortedSet<Role> roles,
    @Nullable List<ProjectId> projects,
    @Nullable Credential credential,
    SortedSet<Role> given,
    Call call)
    implements ActorBuilder.With {
  /**
   * A request with its reason.
   *
   * @param origin null outside of requests
   */
  public record Call(@Nullable Origin origin, Cause cause) {
    static final Call NONE = new Call(null, Cause.NONE);
  }

  public Actor {
    roles = Collections.unmodifiableSortedSet(new TreeSet<>(roles));
    given = Collections.unmodifiableSortedSet(new TreeSet<>(given));
    projects = projects == null ? null : List.copyOf(projects);
  }

  /** Creates an actor outside a request. */
  public Actor(
      TenantId tenant,
      String name,
      SortedSet<Role> roles,
      @Nullable List<ProjectId> projects,
      @Nullable Credential credential,
      SortedSet<Role> given) {
    this(tenant, name, roles, projects, credential, given, Call.NONE);
  }

  /** Creates an actor with roles that apply in the whole tenant and have no stored membership. */
  public Actor(TenantId tenant, String name, Role... roles) {
    this(tenant, name, new TreeSet<>(List.of(roles)), null, null, new TreeSet<>(List.of(roles)));
  }

  public Actor with(SortedSet<Role> others) {
    return withRoles(others);
  }

  /** Returns the actor in another tenant. */
  public Actor in(TenantId other) {
    return withTenant(other);
  }

  public Actor by(Origin request) {
    return withCall(new Call(request, call.cause()));
  }

  public Actor because(Cause why) {
    return withCall(new Call(call.origin(), why));
  }

  public @Nullable Origin origin() {
    return call.origin();
  }

  /** Returns why it acts. */
  public Cause cause() {
    return call.cause();
  }

  /** Returns whether every operation is allowed. */
  public boolean administrator() {
    return roles.contains(Role.ADMIN);
  }
}
