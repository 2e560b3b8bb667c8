package dev.fairlead.token.postgres;

import dev.fairlead.postgres.TenantWall;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.token.ApiToken;
import dev.fairlead.token.TokenId;
import dev.fairlead.token.TokenStore;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Transactions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.OptimisticLockingFailureException;
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
    return transactions.call(() -> {
      wall.acrossTenants();
      return rows.findByHash(hash).map(TokenEntity::token);
    });
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
  public void revoke(ApiToken token, Instant now) {
    try {
      transactions.run(() -> {
        wall.enter(token.tenant().value());
        rows.findByTenantAndId(token.tenant().value(), token.id().value())
            .filter(row -> row.revokedAt == null)
            .ifPresent(row -> {
              row.revokedAt = now;
              rows.saveAndFlush(row);
            });
      });
    } catch (OptimisticLockingFailureException raced) {
      throw new Conflict(Conflict.Guard.VERSION, token.id().text());
    }
  }

  @Override
  public void forget(TenantId tenant, String principal, Instant expiredBefore) {
    transactions.run(() -> {
      wall.enter(tenant.value());
      rows.deleteByTenantAndPrincipalAndExpiresAtBefore(tenant.value(), principal, expiredBefore);
    });
  }
}
