package dev.fairlead.people.security.oidc;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.text.ParseException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Date;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks that a JWT is from the issuer, for this service, and valid now. Only published keys of the
 * issuer and the algorithms of the settings are accepted: key information in a token ({@code jwk},
 * {@code jku}, {@code x5u}) is ignored.
 */
final class TokenCheck {
  /** Maximum difference between the issuer's clock and this one. */
  static final Duration SKEW = Duration.ofSeconds(60);

  private static final Logger LOG = LoggerFactory.getLogger(TokenCheck.class);
  private final OidcSettings settings;
  private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();

  TokenCheck(OidcSettings settings, JWKSource<SecurityContext> keys, InstantSource clock) {
    this.settings = settings;
    processor.setJWSTypeVerifier(
        new DefaultJOSEObjectTypeVerifier<>(
            JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
    processor.setJWSKeySelector(
        new JWSVerificationKeySelector<>(
            settings.algorithms().stream().map(JWSAlgorithm::parse).collect(Collectors.toSet()),
            keys));
    processor.setJWTClaimsSetVerifier(new Claims(settings, clock));
  }

  private static final class Claims extends DefaultJWTClaimsVerifier<SecurityContext> {
    private final InstantSource clock;

    Claims(OidcSettings settings, InstantSource clock) {
      super(
          settings.audience(),
          new JWTClaimsSet.Builder().issuer(settings.issuer()).build(),
          Set.of("exp", settings.userClaim()));
      this.clock = clock;
      setMaxClockSkew((int) SKEW.toSeconds());
    }

    @Override
    protected Date currentTime() {
      return Date.from(clock.instant());
    }
  }

  /**
   * Returns the claims of an accepted token.
   *
   * @throws Refusal UNAUTHENTICATED for a refused token, without the failed check, which is only
   *     logged, UNAVAILABLE if its key is unknown and the issuer is unreachable
   */
  JWTClaimsSet claims(String token) {
    try {
      return processor.process(SignedJWT.parse(token), null);
    } catch (KeySourceException away) {
      throw new Refusal(
          ProblemCode.UNAVAILABLE,
          ("The keys of the issuer %s cannot be read, so this token cannot be checked. Retry the"
                  + " request in a few seconds.")
              .formatted(settings.issuer()));
    } catch (ParseException | BadJOSEException | JOSEException refused) {
      LOG.debug("A token is refused: {}", refused.getMessage());
      throw refused();
    }
  }

  /** The response to every refused token. */
  Refusal refused() {
    return new Refusal(
        ProblemCode.UNAUTHENTICATED,
        "The token is not accepted: it must be an access token of %s for the audience %s that has not expired. Sign in again there, or send an API token (fl_...)."
            .formatted(settings.issuer(), settings.audience()));
  }
}
