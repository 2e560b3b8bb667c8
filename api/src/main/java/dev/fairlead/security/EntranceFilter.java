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
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
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
    String token = bearer(request.getHeader(HttpHeaders.AUTHORIZATION));
    if (token != null && token.startsWith(TokenText.PREFIX)) {
      if (!enterBy(token, request, response)) {
        return;
      }
    } else if (!entrance.open()) {
      if (token != null && entrance.accepts(token)) {
        enter(new Caller("bootstrap"));
      }
    } else if (SameOrigin.allows(request)) {
      enter(new Caller("local"));
    } else {
      ProblemWriter.write(request, response, HttpStatusProblem.of(403));
      return;
    }
    chain.doFilter(request, response);
  }

  /** A token that is none lets nobody in, also where no token would be needed. */
  private boolean enterBy(String token, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
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
      enter(principal);
      StandingAccess.set(request, () -> tokens.bearer(token).filter(principal::equals).isPresent());
    });
    return true;
  }

  private static void enter(Object caller) {
    SecurityContext context = SecurityContextHolder.createEmptyContext();
    context.setAuthentication(
        UsernamePasswordAuthenticationToken.authenticated(caller, null, List.of()));
    SecurityContextHolder.setContext(context);
  }

  private static @Nullable String bearer(@Nullable String header) {
    return header != null && header.toLowerCase(Locale.ROOT).startsWith(BEARER)
        ? header.substring(BEARER.length()).strip()
        : null;
  }
}
