package dev.fairlead.security.oidc;

import com.nimbusds.jwt.JWTClaimsSet;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Principal;
import dev.fairlead.tenant.TenantStore;
import dev.fairlead.transaction.Transactions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Lets in the bearers of the issuer's tokens. */
public final class SignIn {
  private static final String EMAIL = "email";
  private final OidcSettings settings;
  private final TokenCheck check;
  private final ClaimedRoles roles;
  private final InstantSource clock;

  /**
   * @param nanos monotonic time
   */
  public SignIn(
      OidcSettings settings,
      Transactions transactions,
      TenantStore tenants,
      InstantSource clock,
      LongSupplier nanos) {
    this.settings = settings;
    this.check =
        new TokenCheck(settings, new IssuerKeys(new IssuerReader(settings.issuer()), nanos), clock);
    this.roles = new ClaimedRoles(settings.roles(), transactions, tenants, nanos);
    this.clock = clock;
  }

  /** The bearer of a token, until it expires. */
  public record SignedIn(Principal principal, Instant expiresAt) {}

  /**
   * @throws Refusal UNAUTHENTICATED for a token that is not accepted; UNAVAILABLE when the issuer
   *     has to be asked and does not answer
   */
  public SignedIn bearer(String token) {
    JWTClaimsSet claims = check.claims(token);
    String user = claims.getClaim(settings.userClaim()) instanceof String name ? name : "";
    boolean unverified =
        EMAIL.equals(settings.userClaim())
            && Boolean.FALSE.equals(claims.getClaim("email_verified"));
    if (unverified
        || !Principal.isName(user)
        || user.startsWith(Principal.SERVICE_ACCOUNT_PREFIX)
        || Principal.reserved(user)) {
      throw check.refused();
    }
    return new SignedIn(
        roles.principal(user, values(claims)), claims.getExpirationTime().toInstant());
  }

  /** Whether the access that the token gave goes on. */
  public boolean stands(SignedIn signedIn) {
    return clock.instant().isBefore(signedIn.expiresAt());
  }

  private Collection<String> values(JWTClaimsSet claims) {
    @Nullable Object claim = claims.getClaim(settings.rolesClaim());
    if (claim == null) {
      claim = claims.getClaims();
      for (String part : settings.rolesClaim().split("\\.", -1)) {
        claim = claim instanceof Map<?, ?> object ? object.get(part) : null;
      }
    }
    return switch (claim) {
      case String one -> List.of(one);
      case Collection<?> several -> several.stream().map(String::valueOf).toList();
      case null, default -> List.of();
    };
  }
}
