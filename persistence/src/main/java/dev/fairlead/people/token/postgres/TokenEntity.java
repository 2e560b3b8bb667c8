package dev.fairlead.people.token.postgres;

import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.token.ApiToken;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.Persistable;

/** New row of {@code api_token}. Revocation is SQL, because it revokes derived tokens too. */
@Entity
@Table(name = "api_token")
class TokenEntity implements Persistable<UUID> {
  @Id UUID id = new UUID(0, 0);
  UUID tenant = new UUID(0, 0);
  String principal = "";
  String name = "";

  @Enumerated(EnumType.STRING)
  Role role = Role.PROJECT_VIEWER;

  @Nullable UUID project;
  String hash = "";

  @Column(name = "created_at")
  Instant createdAt = Instant.EPOCH;

  @Column(name = "created_by")
  String createdBy = "";

  @Column(name = "made_by")
  @Nullable UUID madeBy;

  @Column(name = "expires_at")
  Instant expiresAt = Instant.EPOCH;

  @Column(name = "revoked_at")
  @Nullable Instant revokedAt;

  @Nullable UUID cluster;

  @Version long version;

  static TokenEntity of(ApiToken token, String hash) {
    TokenEntity row = new TokenEntity();
    row.id = token.id().value();
    row.tenant = token.tenant().value();
    row.principal = token.principal();
    row.name = token.name();
    row.role = token.role();
    row.project = token.project() == null ? null : token.project().value();
    row.hash = hash;
    row.createdAt = token.createdAt();
    row.createdBy = token.createdBy();
    row.madeBy = token.madeBy() == null ? null : token.madeBy().value();
    row.expiresAt = token.expiresAt();
    row.revokedAt = token.revokedAt();
    row.cluster = token.cluster() == null ? null : token.cluster().value();
    return row;
  }

  @Override
  public UUID getId() {
    return id;
  }

  @Override
  public boolean isNew() {
    return true;
  }
}
