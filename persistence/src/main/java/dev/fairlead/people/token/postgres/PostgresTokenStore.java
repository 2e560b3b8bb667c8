package dev.fairlead.people.token.postgres;

import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.token.ApiToken;
import dev.fairlead.people.token.TokenId;
import dev.fairlead.people.token.TokenStore;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.Limit;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresTokenStore implements TokenStore {
  private static final SqlFile REVOKE = SqlFile.named("token/revoke-tokens");
  private static final UUID BEHIND_ALL = new UUID(-1, -1);

  private final Transactions transactions;
  private final TokenRepository rows;
  private final JdbcClient jdbc;

  PostgresTokenStore(Transactions transactions, TokenRepository rows, JdbcClient jdbc) {
    this.transactions = transactions;
    this.rows = rows;
    this.jdbc = jdbc;
  }

  @Override
  public void insert(ApiToken token, String hash) {
    transactions.runInTenant(
        token.tenant(),
        () -> {
          rows.saveAndFlush(TokenEntity.of(token, hash));
        });
  }

  @Override
  public Optional<ApiToken> withHash(String hash) {
    return transactions.forAllTenants(() -> rows.findByHash(hash).map(TokenRow::token));
  }

  @Override
  public Optional<ApiToken> find(TenantId tenant, TokenId id) {
    return transactions.inTenant(
        tenant, () -> rows.findByTenantAndId(tenant.value(), id.value()).map(TokenRow::token));
  }

  @Override
  public List<ApiToken> page(
      TenantId tenant, @Nullable String principal, @Nullable TokenId before, int limit) {
    UUID end = before == null ? BEHIND_ALL : before.value();
    Limit most = Limit.of(limit);
    return listed(
        tenant,
        () ->
            principal == null
                ? rows.findByTenantAndIdLessThanOrderByIdDesc(tenant.value(), end, most)
                : rows.findByTenantAndPrincipalAndIdLessThanOrderByIdDesc(
                    tenant.value(), principal, end, most));
  }

  private List<ApiToken> listed(TenantId tenant, Supplier<List<TokenRow>> found) {
    return transactions.inTenant(tenant, () -> found.get().stream().map(TokenRow::token).toList());
  }

  @Override
  public Optional<ApiToken> locked(TenantId tenant, TokenId id) {
    return transactions.inTenant(
        tenant,
        () -> rows.findLockedByTenantAndId(tenant.value(), id.value()).map(TokenRow::token));
  }

  @Override
  public List<ApiToken> valid(TenantId tenant, String principal, Instant now) {
    return listed(
        tenant,
        () ->
            rows.findByTenantAndPrincipalAndRevokedAtIsNullAndExpiresAtAfterOrderById(
                tenant.value(), principal, now));
  }

  @Override
  public int made(TenantId tenant, String maker, Instant since) {
    return transactions.inTenant(
        tenant,
        () -> rows.countByTenantAndCreatedByAndCreatedAtAfter(tenant.value(), maker, since));
  }

  @Override
  public List<ApiToken> madeBy(TenantId tenant, String maker, Instant now) {
    return listed(
        tenant,
        () ->
            rows.findByTenantAndCreatedByAndRevokedAtIsNullAndExpiresAtAfterOrderById(
                tenant.value(), maker, now));
  }

  @Override
  public void revoke(ApiToken token, Instant now) {
    transactions.forAllTenants(() -> {
      int ended;
      do {
        ended =
            jdbc.sql(REVOKE.text())
                .param("tenant", token.tenant().value())
                .param("id", token.id().value())
                .param("now", Columns.parameter(now))
                .update();
      } while (ended > 0);
      return ended;
    });
  }
}
