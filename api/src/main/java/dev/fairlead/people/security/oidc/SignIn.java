package dev.fairlead.people.security.oidc;

import com.nimbusds.jwt.JWTClaimsSet;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.Sha256;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.MembershipStore;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Authenticates the bearers of the issuer's tokens. */
public final class SignIn {
  private static final String EMAIL = "email";
  private static final int HASH = 64;
  private final OidcSettings settings;
  private final TokenCheck check;
  private final ClaimedRoles roles;
  private final StoredMemberships members;
  private final InstantSource clock;

  /**
   * @param nanos monotonic time
   */
  public SignIn(
      OidcSettings settings,
      Transactions transactions,
      TenantStore tenants,
      MembershipStore memberships,
      InstantSource clock,
      LongSupplier nanos) {
    this.settings = settings;
    this.check =
        new TokenCheck(settings, new IssuerKeys(new IssuerReader(settings.issuer()), nanos), clock);
    this.roles = new ClaimedRoles(settings.roles(), transactions, tenants, nanos);
    this.members = new StoredMemberships(transactions, memberships, nanos);
    this.clock = clock;
  }

  /**
   * The bearer of a token until the token expires.
   *
   * @param claimed principal with the roles of the token
   * @param held stored memberships
   */
  public record SignedIn(Principal claimed, List<Membership> held, Instant expiresAt) {
    /** Includes the roles of the stored memberships. */
    public Principal principal() {
      return claimed.with(held);
    }
  }

  /**
   * @throws Refusal UNAUTHENTICATED for a refused token, UNAVAILABLE if the issuer is needed and
   *     does not respond, RATE_LIMITED
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
    Principal claimed = roles.principal(user, values(claims));
    return new SignedIn(
        claimed, members.of(user, claimed.home()), claims.getExpirationTime().toInstant());
  }

  /** Returns whether the access continues: until the token expires or a membership changes. */
  public boolean stands(SignedIn signedIn) {
    return clock.instant().isBefore(signedIn.expiresAt()) && unchanged(signedIn);
  }

  /**
   * Returns whether an open session continues. Stored memberships are read again at each check, so
   * a session that depends on them alone outlives its token. Roles granted by the token expire with
   * it, because only a new token proves them.
   */
  public boolean sessionStands(SignedIn signedIn) {
    return signedIn.claimed().hasRoles() ? stands(signedIn) : unchanged(signedIn);
  }

  /**
   * Names the user and the memberships with which it entered, for {@link #proves}. Memberships that
   * have changed in the meantime are not proved.
   */
  public String proof(SignedIn signedIn) {
    Principal claimed = signedIn.claimed();
    return claimed.home().bare() + hash(signedIn.held()) + claimed.name();
  }

  /** Returns whether the memberships are those of the proof. */
  public boolean proves(String proof) {
    TenantId home = new TenantId(IdText.decode(proof.substring(0, IdText.LENGTH)).orElseThrow());
    String name = proof.substring(IdText.LENGTH + HASH);
    return proof.startsWith(hash(members.of(name, home)), IdText.LENGTH);
  }

  private static String hash(List<Membership> held) {
    return Sha256.hex(held.toString());
  }

  private boolean unchanged(SignedIn signedIn) {
    Principal claimed = signedIn.claimed();
    return claimed.with(members.of(claimed.name(), claimed.home())).equals(signedIn.principal());
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
