package dev.fairlead.people.token;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.Credential;
import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a token: everything but its text.
 *
 * @param principal who its bearer is
 * @param name what its owner calls it
 * @param role all that its bearer may do
 * @param project where the role counts, null for a role of the tenant or the platform
 * @param createdBy the principal that made it
 * @param madeBy the token that its maker used, null when the maker used none; it ends with that one
 * @param revokedAt null while nobody revoked it
 * @param cluster the one that its bearer reports for, null for a role that is none of a cluster
 */
public record ApiToken(
    TokenId id,
    TenantId tenant,
    String principal,
    String name,
    Role role,
    @Nullable ProjectId project,
    Instant createdAt,
    String createdBy,
    @Nullable TokenId madeBy,
    Instant expiresAt,
    @Nullable Instant revokedAt,
    @Nullable ClusterId cluster) {
  /** One that is none of a cluster. */
  public ApiToken(
      TokenId id,
      TenantId tenant,
      String principal,
      String name,
      Role role,
      @Nullable ProjectId project,
      Instant createdAt,
      String createdBy,
      @Nullable TokenId madeBy,
      Instant expiresAt,
      @Nullable Instant revokedAt) {
    this(
        id, tenant, principal, name, role, project, createdAt, createdBy, madeBy, expiresAt,
        revokedAt, null);
  }

  /** Whether its bearer is let in at that time. */
  public boolean validAt(Instant now) {
    return revokedAt == null && now.isBefore(expiresAt);
  }

  public ApiToken revoked(Instant now) {
    return new ApiToken(
        id, tenant, principal, name, role, project, createdAt, createdBy, madeBy, expiresAt, now,
        cluster);
  }

  /** Its bearer. */
  public Principal bearer() {
    boolean platform = role.scope() == Role.Scope.PLATFORM;
    return new Principal(
        principal,
        Principal.Kind.of(principal),
        tenant,
        platform ? new TreeSet<>(List.of(role)) : new TreeSet<>(),
        platform ? List.of() : List.of(new Membership(tenant, project, role)),
        new Credential(id.value(), tenant, expiresAt, cluster == null ? null : cluster.value()),
        List.of());
  }
}
