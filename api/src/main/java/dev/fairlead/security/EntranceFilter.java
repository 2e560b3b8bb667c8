package dev.fairlead.security;

import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Principal;
import dev.fairlead.token.TokenText;
import dev.fairlead.web.DatabaseTrouble;
import dev.fairlead.web.HttpStatusProblem;
import dev.fairlead.web.ProblemWriter;
import dev.fairlead.web.StandingAccess;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Finds out who calls: the bearer of an API token, of the bootstrap token, or, where there is no
 * bootstrap token, the local administrator. As local administrator everybody on this machine comes
 * in, so such a request must not come from a page of another site or port in a browser: see {@link
 * SameOrigin}. A browser sends no token by itself.
 */
final class EntranceFilter extends OncePerRequestFilter {
  private static final String BEARER = "bearer ";
  private final Entrance entrance;
  private final TokenPrincipals tokens;

  EntranceFilter(Entrance entrance, TokenPrincipals tokens) {
    this.entrance = entrance;
    this.tokens = tokens;
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
        ProblemWriter.write(request, response, HttpStatusProblem.of(403));
        return;
      }
      enter(CallerAuthentication.of(new Caller(Principal.LOCAL)));
    }
    chain.doFilter(request, response);
  }

  /**
   * What is sent decides alone: a header that is damaged or unknown lets nobody in, also where none
   * would be needed. Returns whether the request may go on, without a caller too.
   */
  private boolean enterBy(
      List<String> sent, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String token = sent.size() == 1 ? bearer(sent.getFirst()) : "";
    if (token.startsWith(TokenText.PREFIX)) {
      return enterByToken(token, request, response);
    }
    if (entrance.accepts(token)) {
      enter(CallerAuthentication.of(new Caller(Principal.BOOTSTRAP)));
    }
    return true;
  }

  private boolean enterByToken(
      String token, HttpServletRequest request, HttpServletResponse response) throws IOException {
    Optional<Principal> bearer;
    try {
      bearer = tokens.bearer(token);
    } catch (Refusal refused) {
      ProblemWriter.write(request, response, refused);
      return false;
    } catch (RuntimeException away) {
      if (!DatabaseTrouble.in(away)) {
        throw away;
      }
      ProblemWriter.write(request, response, HttpStatusProblem.of(503));
      return false;
    }
    bearer.ifPresent(principal -> {
      enter(CallerAuthentication.of(principal));
      StandingAccess.set(request, () -> tokens.bearer(token).filter(principal::equals).isPresent());
    });
    return true;
  }

  private static void enter(CallerAuthentication caller) {
    SecurityContext context = SecurityContextHolder.createEmptyContext();
    context.setAuthentication(caller);
    SecurityContextHolder.setContext(context);
  }

  /** Empty for a header that is none of bearer tokens. */
  private static String bearer(String header) {
    return header.toLowerCase(Locale.ROOT).startsWith(BEARER)
        ? header.substring(BEARER.length()).strip()
        : "";
  }
}
