package dev.fairlead.token;

import dev.fairlead.tenant.TenantId;
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
   */
  List<ApiToken> tokens(TenantId tenant, @Nullable String principal);

  /** Ends it at that time, unless it was ended before. */
  void revoke(ApiToken token, Instant now);

  /** Removes tokens of the principal that expired before then. */
  void forget(TenantId tenant, String principal, Instant expiredBefore);
}
