package dev.fairlead.people.token.postgres;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.token.ApiToken;
import dev.fairlead.people.token.ApiTokenBuilder;
import dev.fairlead.people.token.TokenId;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Read model of a row of {@code api_token}, without its hash. */
record TokenRow(
    UUID id,
    UUID tenant,
    String principal,
    String name,
    Role role,
    @Nullable UUID project,
    Instant createdAt,
    String createdBy,
    @Nullable UUID madeBy,
    Instant expiresAt,
    @Nullable Instant revokedAt,
    @Nullable UUID cluster) {
  ApiToken token() {
    return ApiTokenBuilder.builder()
        .id(new TokenId(id))
        .tenant(new TenantId(tenant))
        .principal(principal)
        .name(name)
        .role(role)
        .project(project == null ? null : new ProjectId(project))
        .createdAt(createdAt)
        .createdBy(createdBy)
        .madeBy(madeBy == null ? null : new TokenId(madeBy))
        .expiresAt(expiresAt)
        .revokedAt(revokedAt)
        .cluster(cluster == null ? null : new ClusterId(cluster))
        .build();
  }
}
