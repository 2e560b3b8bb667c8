package dev.fairlead.people.security;

import dev.fairlead.kernel.errors.DatabaseTrouble;
import dev.fairlead.kernel.errors.HttpStatusProblem;
import dev.fairlead.kernel.errors.ProblemWriter;
import dev.fairlead.kernel.errors.RequestIds;
import dev.fairlead.kernel.keyring.SharedKey;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.CallerProof;
import dev.fairlead.kernel.web.StreamReauthorization;
import dev.fairlead.people.audit.Denials;
import dev.fairlead.people.security.oidc.SignIn;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Origin;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.token.TokenText;
import dev.fairlead.work.attempt.AttemptCredential;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Authenticates the caller: the bearer of an API token, of the bootstrap token, of a token of the
 * issuer, an attempt with its credential, or, on loopback with none of them, the local
 * administrator. Every user of this machine is the local administrator, so such a request must not
 * come from a browser page of another site or port: see {@link SameOrigin}. A browser sends no
 * token automatically.
 */
final class CallerAuthenticationFilter extends OncePerRequestFilter {
  private static final String BEARER = "bearer ";
  private static final String REFUSAL = CallerAuthenticationFilter.class.getName();

  /** Request attribute with the bearer of a token that is no longer valid. */
  private static final String FORMER = REFUSAL + ".former";

  /** Operations of attempts. */
  private static final Pattern OWN =
      Pattern.compile(
          Pattern.quote(ApiPaths.ROOT) + "/attempts/[^/]+/(checkpoint|progress|outputs|workdir)");

  private final LocalAuthentication entrance;
  private final TokenPrincipals tokens;
  private final SharedKey key;
  private final @Nullable SignIn signIn;
  private final Denials denials;
  private final EntranceProofs proofs;

  /**
   * @param signIn null without an issuer
   */
  CallerAuthenticationFilter(
      LocalAuthentication entrance,
      TokenPrincipals tokens,
      SharedKey key,
      @Nullable SignIn signIn,
      Denials denials,
      EntranceProofs proofs) {
    this.key = key;
    this.entrance = entrance;
    this.tokens = tokens;
    this.signIn = signIn;
    this.denials = denials;
    this.proofs = proofs;
  }

  private static Refusal foreign() {
    return new Refusal(
        ProblemCode.FORBIDDEN,
        "The request names a different host than this machine, or came from a page of another site"
            + " or port. Without a token, only programs and pages on this machine have access."
            + " Send an API token.");
  }

  /** Responds to a request without an authenticated caller, with the reason. */
  void refuse(HttpServletRequest request, HttpServletResponse response) throws IOException {
    Refusal refusal =
        request.getAttribute(REFUSAL) instanceof Refusal said
            ? said
            : HttpStatusProblem.of(HttpServletResponse.SC_UNAUTHORIZED);
    refuse(request, response, refusal);
  }

  private void refuse(HttpServletRequest request, HttpServletResponse response, Refusal refusal)
      throws IOException {
    Origin origin = RequestIds.origin(request);
    String path = AccessGuard.shownPath(request);
    if (request.getAttribute(FORMER) instanceof Actor bearer) {
      denials.note(bearer.by(origin), Denials.AUTHENTICATE, path, refusal.code());
    } else {
      denials.unknown(origin, path, refusal.code());
    }
    ProblemWriter.write(request, response, refusal);
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    List<String> sent = Collections.list(request.getHeaders(HttpHeaders.AUTHORIZATION));
    if (!sent.isEmpty()) {
      if (!enterBy(sent, request, response)) {
        return;
      }
    } else if (entrance.open()) {
      if (!SameOrigin.allows(request)) {
        refuse(request, response, foreign());
        return;
      }
      enter(CallerAuthentication.of(new Caller(Principal.LOCAL)));
      CallerProof.set(request, proofs.ofAdministrator());
    }
    chain.doFilter(request, response);
  }

  /**
   * Only the sent header decides: a damaged or unknown header is refused, even if no authentication
   * would be needed. Returns whether the request may continue, possibly without a caller.
   */
  private boolean enterBy(
      List<String> sent, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String token = sent.size() == 1 ? bearer(sent.getFirst()) : "";
    try {
      if (token.startsWith(AttemptCredential.PREFIX)) {
        enterAsAttempt(token, request);
      } else if (token.startsWith(TokenText.PREFIX)) {
        enterByToken(token, request);
      } else if (entrance.accepts(token)) {
        enter(CallerAuthentication.of(new Caller(Principal.BOOTSTRAP)));
        CallerProof.set(request, proofs.ofAdministrator());
      } else if (signIn != null && !token.isEmpty()) {
        enterBySignIn(signIn, token, request);
      }
      return true;
    } catch (Refusal refused) {
      if (refused.code() == ProblemCode.UNAUTHENTICATED) {
        request.setAttribute(REFUSAL, refused);
        return true;
      }
      ProblemWriter.write(request, response, refused);
    } catch (RuntimeException away) {
      if (!DatabaseTrouble.in(away)) {
        throw away;
      }
      ProblemWriter.write(request, response, HttpStatusProblem.of(503));
    }
    return false;
  }

  private void enterByToken(String token, HttpServletRequest request) {
    String address = request.getRemoteAddr();
    Principal principal = tokens.bearer(token, address).orElse(null);
    if (principal == null) {
      tokens.former(token).ifPresent(actor -> request.setAttribute(FORMER, actor));
      return;
    }
    enter(CallerAuthentication.of(principal));
    CallerProof.set(request, proofs.ofToken(token, principal));
    StreamReauthorization.set(
        request, () -> tokens.bearer(token, address).filter(principal::equals).isPresent());
  }

  /** Elsewhere, the credential of an attempt is not accepted. */
  private void enterAsAttempt(String token, HttpServletRequest request) {
    if (OWN.matcher(request.getRequestURI()).matches()) {
      key.derived(AttemptCredential.PURPOSE)
          .flatMap(derived -> AttemptCredential.read(token, derived))
          .ifPresent(attempt -> enter(CallerAuthentication.of(attempt)));
    }
  }

  private void enterBySignIn(SignIn signIn, String token, HttpServletRequest request) {
    SignIn.SignedIn signedIn = signIn.bearer(token);
    enter(CallerAuthentication.of(signedIn.principal()));
    CallerProof.set(request, proofs.ofSignIn(signIn, signedIn));
    StreamReauthorization.set(request, () -> signIn.stands(signedIn));
    StreamReauthorization.setForSession(request, () -> signIn.sessionStands(signedIn));
  }

  private static void enter(CallerAuthentication caller) {
    SecurityContext context = SecurityContextHolder.createEmptyContext();
    context.setAuthentication(caller);
    SecurityContextHolder.setContext(context);
  }

  /** Returns empty for a header without a bearer token. */
  private static String bearer(String header) {
    return header.toLowerCase(Locale.ROOT).startsWith(BEARER)
        ? header.substring(BEARER.length()).strip()
        : "";
  }
}
