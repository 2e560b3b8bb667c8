package dev.fairlead.people.token;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.Credential;
import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a token, without its text.
 *
 * @param principal its bearer
 * @param name chosen by its owner
 * @param role the only role of its bearer
 * @param project scope of the role, null for a role of the tenant or the platform
 * @param createdBy the principal that created it
 * @param madeBy the token with which it was created, null if none. It expires with that token
 * @param revokedAt null until it is revoked
 * @param cluster the only cluster that its bearer reports for, null for a role without a cluster
 */
@RecordBuilder
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
    @Nullable ClusterId cluster)
    implements ApiTokenBuilder.With {
  /** Returns whether the token is valid at that time. */
  public boolean validAt(Instant now) {
    return revokedAt == null && now.isBefore(expiresAt);
  }

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
