package dev.fairlead.people.security;

import dev.fairlead.kernel.identity.Sha256;
import dev.fairlead.kernel.web.CallerProof;
import dev.fairlead.kernel.web.CallerProofs;
import dev.fairlead.people.security.oidc.SignIn;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.token.TokenText;
import org.jspecify.annotations.Nullable;

/**
 * Proofs of callers by the way in which they entered. They contain hashes and names, and no token.
 *
 * @param signIn null without an issuer
 */
record EntranceProofs(LocalAuthentication entrance, TokenPrincipals tokens, @Nullable SignIn signIn)
    implements CallerProofs {
  private static final String ADMINISTRATOR = "a";
  private static final String TOKEN = "t";
  private static final String SIGN_IN = "s";
  private static final int HASH = 64;

  CallerProof ofAdministrator() {
    return new CallerProof(ADMINISTRATOR + entrance.proof(), null);
  }

  /** It ends with the token, or when a membership of its owner changes. */
  CallerProof ofToken(String token, Principal bearer) {
    return new CallerProof(TOKEN + TokenText.hash(token) + Sha256.hex(bearer.toString()), null);
  }

  /** Roles granted by an issuer's token expire with the token, because nothing else proves them. */
  CallerProof ofSignIn(SignIn by, SignIn.SignedIn signedIn) {
    return new CallerProof(
        SIGN_IN + by.proof(signedIn), signedIn.claimed().hasRoles() ? signedIn.expiresAt() : null);
  }

  @Override
  public boolean stand(String text, String address) {
    String proof = text.substring(1);
    return switch (text.substring(0, 1)) {
      case ADMINISTRATOR -> proof.equals(entrance.proof());
      case TOKEN ->
          tokens
              .ofHash(proof.substring(0, proof.length() - HASH), address)
              .filter(bearer -> proof.endsWith(Sha256.hex(bearer.toString())))
              .isPresent();
      case SIGN_IN -> signIn != null && signIn.proves(proof);
      default -> false;
    };
  }
}
