package dev.fairlead.people.token.postgres;

import jakarta.persistence.LockModeType;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.repository.Repository;

/** Rows of {@code api_token}. */
interface TokenRepository extends Repository<TokenEntity, UUID> {
  TokenEntity saveAndFlush(TokenEntity row);

  Optional<TokenRow> findByHash(String hash);

  Optional<TokenRow> findByTenantAndId(UUID tenant, UUID id);

  List<TokenRow> findByTenantAndIdLessThanOrderByIdDesc(UUID tenant, UUID before, Limit limit);

  List<TokenRow> findByTenantAndPrincipalAndIdLessThanOrderByIdDesc(
      UUID tenant, String principal, UUID before, Limit limit);

  @Lock(LockModeType.PESSIMISTIC_READ)
  Optional<TokenRow> findLockedByTenantAndId(UUID tenant, UUID id);

  List<TokenRow> findByTenantAndPrincipalAndRevokedAtIsNullAndExpiresAtAfterOrderById(
      UUID tenant, String principal, Instant now);

  int countByTenantAndCreatedByAndCreatedAtAfter(UUID tenant, String maker, Instant since);

  List<TokenRow> findByTenantAndCreatedByAndRevokedAtIsNullAndExpiresAtAfterOrderById(
      UUID tenant, String maker, Instant now);
}
