package dev.fairlead.kernel.errors;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Responds 414 or 431 to a request with a line or headers that are too long. The server itself
 * responds 400 to every unreadable request, and accepts slightly more than this limit ({@code
 * server.max-http-request-header-size}).
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
class RequestLimits extends OncePerRequestFilter {
  private static final int MOST = 8 * 1024;

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String query = request.getQueryString();
    if (request.getRequestURI().length() + (query == null ? 0 : query.length()) > MOST) {
      ProblemWriter.write(request, response, HttpStatusProblem.of(414));
    } else if (headers(request) > MOST) {
      ProblemWriter.write(request, response, HttpStatusProblem.of(431));
    } else {
      chain.doFilter(request, response);
    }
  }

  private static int headers(HttpServletRequest request) {
    return Collections.list(request.getHeaderNames()).stream()
        .flatMap(name -> Collections.list(request.getHeaders(name)).stream())
        .mapToInt(String::length)
        .sum();
  }
}
