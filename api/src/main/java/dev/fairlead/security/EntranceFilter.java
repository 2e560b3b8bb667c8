package dev.fairlead.security;

import dev.fairlead.web.HttpStatusProblem;
import dev.fairlead.web.ProblemWriter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Finds out who calls. Without a token everybody on this machine is the local administrator, so a
 * request must not come from a page of another site or port in a browser: see {@link SameOrigin}.
 */
final class EntranceFilter extends OncePerRequestFilter {
  private static final String BEARER = "bearer ";
  private final Entrance entrance;

  EntranceFilter(Entrance entrance) {
    this.entrance = entrance;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (entrance.open()) {
      if (!SameOrigin.allows(request)) {
        ProblemWriter.write(request, response, HttpStatusProblem.of(403));
        return;
      }
      enter(new Caller("local"));
    } else {
      String token = bearer(request.getHeader(HttpHeaders.AUTHORIZATION));
      if (token != null && entrance.accepts(token)) {
        enter(new Caller("bootstrap"));
      }
    }
    chain.doFilter(request, response);
  }

  private static void enter(Caller caller) {
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
