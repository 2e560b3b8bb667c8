package dev.fairlead.people.token;

import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** API tokens, inside one tenant each. */
public interface TokenStore {
  /**
   * @param hash of its text; no other way leads from a text to its token
   */
  void insert(ApiToken token, String hash);

  /** In any tenant; also one that has ended. */
  Optional<ApiToken> withHash(String hash);

  Optional<ApiToken> find(TenantId tenant, TokenId id);

  /**
   * Newest first, ended ones included.
   *
   * @param principal null for those of every principal
   * @param before those made before this one; null for the newest
   */
  List<ApiToken> page(
      TenantId tenant, @Nullable String principal, @Nullable TokenId before, int limit);

  /** As {@link #find}; until the transaction ends it is not revoked. */
  Optional<ApiToken> locked(TenantId tenant, TokenId id);

  /** Tokens of the principal that let their bearers in at that time. */
  List<ApiToken> valid(TenantId tenant, String principal, Instant now);

  /** How many tokens the principal made since then, for itself and for others. */
  int made(TenantId tenant, String maker, Instant since);

  /** Those that the principal made, for itself and for others, and that are valid at that time. */
  List<ApiToken> madeBy(TenantId tenant, String maker, Instant now);

  /**
   * Ends it and all that were made with it, in any tenant, except those that were revoked before.
   */
  void revoke(ApiToken token, Instant now);
}
