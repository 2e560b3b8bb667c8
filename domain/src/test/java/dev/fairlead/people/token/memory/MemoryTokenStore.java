package dev.fairlead.people.token.memory;

import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.token.ApiToken;
import dev.fairlead.people.token.TokenId;
import dev.fairlead.people.token.TokenStore;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link TokenStore}. */
public final class MemoryTokenStore implements TokenStore {
  private final MemoryDatabase database;
  private final MemoryTable<TokenId, ApiToken> tokens;
  private final MemoryTable<String, TokenId> hashes;

  public MemoryTokenStore(MemoryDatabase database) {
    this.database = database;
    this.tokens = database.table();
    this.hashes = database.table();
  }

  @Override
  public void insert(ApiToken token, String hash) {
    database.run(() -> {
      tokens.put(token.id(), token);
      hashes.put(hash, token.id());
    });
  }

  @Override
  public Optional<ApiToken> withHash(String hash) {
    return database.call(() -> hashes.find(hash).flatMap(tokens::find));
  }

  @Override
  public Optional<ApiToken> find(TenantId tenant, TokenId id) {
    return database.call(() -> tokens.find(id).filter(t -> t.tenant().equals(tenant)));
  }

  @Override
  public List<ApiToken> page(
      TenantId tenant, @Nullable String principal, @Nullable TokenId before, int limit) {
    return tokens(tenant, principal).stream()
        .filter(t -> before == null || t.id().compareTo(before) < 0)
        .limit(limit)
        .toList();
  }

  private List<ApiToken> tokens(TenantId tenant, @Nullable String principal) {
    Predicate<ApiToken> wanted =
        t -> t.tenant().equals(tenant) && (principal == null || t.principal().equals(principal));
    return database.call(() ->
        tokens.all().stream()
            .filter(wanted)
            .sorted(Comparator.comparing(ApiToken::id).reversed())
            .toList());
  }

  @Override
  public void revoke(ApiToken token, Instant now) {
    database.run(() -> {
      tokens
          .find(token.id())
          .filter(t -> t.revokedAt() == null)
          .ifPresent(t -> tokens.put(t.id(), t.withRevokedAt(now)));
      tokens.all().stream()
          .filter(t -> token.id().equals(t.madeBy()))
          .toList()
          .forEach(made -> revoke(made, now));
    });
  }

  @Override
  public Optional<ApiToken> locked(TenantId tenant, TokenId id) {
    return find(tenant, id);
  }

  @Override
  public List<ApiToken> valid(TenantId tenant, String principal, Instant now) {
    return tokens(tenant, principal).stream().filter(t -> t.validAt(now)).toList();
  }

  @Override
  public List<ApiToken> madeBy(TenantId tenant, String maker, Instant now) {
    return tokens(tenant, null).stream()
        .filter(t -> t.createdBy().equals(maker) && t.validAt(now))
        .toList();
  }

  @Override
  public int made(TenantId tenant, String maker, Instant since) {
    return (int)
        tokens(tenant, null).stream()
            .filter(t -> t.createdBy().equals(maker) && t.createdAt().isAfter(since))
            .count();
  }
}
