package dev.fairlead.token.postgres;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.data.repository.Repository;

/** Rows of {@code api_token}. */
interface TokenRepository extends Repository<TokenEntity, UUID> {
  TokenEntity saveAndFlush(TokenEntity row);

  Optional<TokenEntity> findByHash(String hash);

  Optional<TokenEntity> findByTenantAndId(UUID tenant, UUID id);

  List<TokenEntity> findByTenantOrderByIdDesc(UUID tenant);

  List<TokenEntity> findByTenantAndPrincipalOrderByIdDesc(UUID tenant, String principal);

  void deleteByTenantAndPrincipalAndExpiresAtBefore(UUID tenant, String principal, Instant time);
}
