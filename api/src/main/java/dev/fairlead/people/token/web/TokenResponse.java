package dev.fairlead.people.token.web;

import dev.fairlead.people.token.ApiToken;
import dev.fairlead.people.token.service.TokenView;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A token without its text.
 *
 * @param user the person, or the service account (sa:...), whose token it is
 * @param role all that its bearer may do
 * @param project where a role of a project counts; null for other roles
 * @param cluster id of the one cluster that a token of the role monitor reports for; null for
 *     others
 * @param madeBy id of the token that its maker used; null when the maker used none
 * @param revokedAt null while nobody revoked it
 */
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
    return new TokenResponse(
        token.id().text(),
        token.name(),
        token.principal(),
        token.role().wire(),
        view.project(),
        token.cluster() == null ? null : token.cluster().text(),
        token.createdAt(),
        token.createdBy(),
        token.madeBy() == null ? null : token.madeBy().text(),
        token.expiresAt(),
        token.revokedAt());
  }
}
