package dev.fairlead.people.token;

import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Stores API tokens, each inside one tenant. */
public interface TokenStore {
  /**
   * @param hash hash of its text, the only way to find a token by its text
   */
  void insert(ApiToken token, String hash);

  /** Returns the token of any tenant, even if it is no longer valid. */
  Optional<ApiToken> withHash(String hash);

  Optional<ApiToken> find(TenantId tenant, TokenId id);

  /**
   * Returns the tokens, newest first, including expired and revoked ones.
   *
   * @param principal null for every principal
   * @param before only tokens created before this one, null for the newest
   */
  List<ApiToken> page(
      TenantId tenant, @Nullable String principal, @Nullable TokenId before, int limit);

  /** Returns a token like {@link #find}. It cannot be revoked until the transaction ends. */
  Optional<ApiToken> locked(TenantId tenant, TokenId id);

  /** Returns the tokens of the principal that are valid at that time. */
  List<ApiToken> valid(TenantId tenant, String principal, Instant now);

  /** Returns how many tokens the principal created since then, for itself and for others. */
  int made(TenantId tenant, String maker, Instant since);

  /**
   * Returns the tokens that the principal created, for itself and for others, and that are valid at
   * that time.
   */
  List<ApiToken> madeBy(TenantId tenant, String maker, Instant now);

  /** Revokes the token and all tokens created with it, in any tenant, except revoked ones. */
  void revoke(ApiToken token, Instant now);
}
