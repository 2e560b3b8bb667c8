package dev.fairlead.people.token.web;

import dev.fairlead.people.token.ApiToken;
import dev.fairlead.people.token.service.TokenView;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A token without its text.
 *
 * @param user person, or service account (sa:...), that owns the token
 * @param role role of the bearer
 * @param project project of a project role, null for other roles
 * @param cluster id of the only cluster for which a token of the role monitor reports, null for
 *     other roles
 * @param madeBy id of the token that its creator used, null if none
 * @param revokedAt time of the revocation, null if the token is not revoked
 */
@RecordBuilder
record TokenResponse(
    String id,
    String name,
    String user,
    String role,
    @Nullable String project,
    @Nullable String cluster,
    Instant createdAt,
    String createdBy,
    @Nullable String madeBy,
    Instant expiresAt,
    @Nullable Instant revokedAt) {
  static TokenResponse of(TokenView view) {
    ApiToken token = view.token();
    return TokenResponseBuilder.builder()
        .id(token.id().text())
        .name(token.name())
        .user(token.principal())
        .role(token.role().wire())
        .project(view.project())
        .cluster(token.cluster() == null ? null : token.cluster().text())
        .createdAt(token.createdAt())
        .createdBy(token.createdBy())
        .madeBy(token.madeBy() == null ? null : token.madeBy().text())
        .expiresAt(token.expiresAt())
        .revokedAt(token.revokedAt())
        .build();
  }
}
