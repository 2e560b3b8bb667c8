package dev.fairlead.token.postgres;

import jakarta.persistence.LockModeType;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

/** Rows of {@code api_token}. */
interface TokenRepository extends Repository<TokenEntity, UUID> {
  TokenEntity saveAndFlush(TokenEntity row);

  Optional<TokenEntity> findByHash(String hash);

  Optional<TokenEntity> findByTenantAndId(UUID tenant, UUID id);

  List<TokenEntity> findByTenantAndIdLessThanOrderByIdDesc(UUID tenant, UUID before, Limit limit);

  List<TokenEntity> findByTenantAndPrincipalAndIdLessThanOrderByIdDesc(
      UUID tenant, String principal, UUID before, Limit limit);

  @Lock(LockModeType.PESSIMISTIC_READ)
  Optional<TokenEntity> findLockedByTenantAndId(UUID tenant, UUID id);

  List<TokenEntity> findByTenantAndPrincipalAndRevokedAtIsNullAndExpiresAtAfterOrderById(
      UUID tenant, String principal, Instant now);

  int countByTenantAndCreatedByAndCreatedAtAfter(UUID tenant, String maker, Instant since);

  List<TokenEntity> findByTenantAndCreatedByAndRevokedAtIsNullAndExpiresAtAfterOrderById(
      UUID tenant, String maker, Instant now);

  /**
   * Ends the token and those made with it that are seen; returns how many. Once more when it ended
   * any: another may have been made with one of them meanwhile, which from now on is not possible.
   */
  @Modifying(flushAutomatically = true, clearAutomatically = true)
  @Query(
      nativeQuery = true,
      value =
          """
          WITH RECURSIVE made (id) AS (
            SELECT id FROM api_token WHERE tenant = :tenant AND id = :id
            UNION
            SELECT t.id FROM api_token t JOIN made m ON t.made_by = m.id
          )
          UPDATE api_token SET revoked_at = :now, version = version + 1
          WHERE id IN (SELECT id FROM made) AND revoked_at IS NULL
          """)
  int revoke(@Param("tenant") UUID tenant, @Param("id") UUID id, @Param("now") Instant now);
}
