package dev.fairlead.token.postgres;

import dev.fairlead.postgres.TenantWall;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.token.ApiToken;
import dev.fairlead.token.TokenId;
import dev.fairlead.token.TokenStore;
import dev.fairlead.transaction.Transactions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** {@link TokenStore} on PostgreSQL. */
@Component
class PostgresTokenStore implements TokenStore {
  private final Transactions transactions;
  private final TenantWall wall;
  private final TokenRepository rows;

  PostgresTokenStore(Transactions transactions, TenantWall wall, TokenRepository rows) {
    this.transactions = transactions;
    this.wall = wall;
    this.rows = rows;
  }

  @Override
  public void insert(ApiToken token, String hash) {
    transactions.run(() -> {
      wall.enter(token.tenant().value());
      rows.saveAndFlush(TokenEntity.of(token, hash));
    });
  }

  @Override
  public Optional<ApiToken> withHash(String hash) {
    return transactions.forAllTenants(() -> rows.findByHash(hash).map(TokenEntity::token));
  }

  @Override
  public Optional<ApiToken> find(TenantId tenant, TokenId id) {
    return transactions.call(() -> {
      wall.enter(tenant.value());
      return rows.findByTenantAndId(tenant.value(), id.value()).map(TokenEntity::token);
    });
  }

  @Override
  public List<ApiToken> tokens(TenantId tenant, @Nullable String principal) {
    return transactions.call(() -> {
      wall.enter(tenant.value());
      List<TokenEntity> found =
          principal == null
              ? rows.findByTenantOrderByIdDesc(tenant.value())
              : rows.findByTenantAndPrincipalOrderByIdDesc(tenant.value(), principal);
      return found.stream().map(TokenEntity::token).toList();
    });
  }

  @Override
  public Optional<ApiToken> locked(TenantId tenant, TokenId id) {
    return transactions.call(() -> {
      wall.enter(tenant.value());
      return rows.findLockedByTenantAndId(tenant.value(), id.value()).map(TokenEntity::token);
    });
  }

  @Override
  public int valid(TenantId tenant, String principal, Instant now) {
    return transactions.call(() -> {
      wall.enter(tenant.value());
      return rows.countByTenantAndPrincipalAndRevokedAtIsNullAndExpiresAtAfter(
          tenant.value(), principal, now);
    });
  }

  @Override
  public int made(TenantId tenant, String maker, Instant since) {
    return transactions.call(() -> {
      wall.enter(tenant.value());
      return rows.countByTenantAndCreatedByAndCreatedAtAfter(tenant.value(), maker, since);
    });
  }

  @Override
  public List<ApiToken> madeBy(TenantId tenant, String maker, Instant now) {
    return transactions.call(() -> {
      wall.enter(tenant.value());
      return rows
          .findByTenantAndCreatedByAndRevokedAtIsNullAndExpiresAtAfterOrderById(
              tenant.value(), maker, now)
          .stream()
          .map(TokenEntity::token)
          .toList();
    });
  }

  @Override
  public void revoke(ApiToken token, Instant now) {
    transactions.forAllTenants(() -> {
      int ended;
      do {
        ended = rows.revoke(token.tenant().value(), token.id().value(), now);
      } while (ended > 0);
      return ended;
    });
  }
}
