package dev.fairlead.kernel.errors;

import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.people.tenant.Origin;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.UUID;
import java.util.regex.Pattern;
import org.slf4j.MDC;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Assigns each request an id: the caller's own if it is harmless, otherwise a new one. The id is in
 * the response and in every log line.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
public class RequestIds extends OncePerRequestFilter {
  public static final String HEADER = "X-Request-Id";
  private static final String ATTRIBUTE = RequestIds.class.getName();
  private static final String LOG_FIELD = "requestId";
  private static final Pattern HARMLESS = Pattern.compile("[A-Za-z0-9._:-]{1,64}");
  private final IdSource ids;

  public RequestIds(IdSource ids) {
    this.ids = ids;
  }

  /** Part of the request that the audit stores. */
  public static Origin origin(HttpServletRequest request) {
    return new Origin(of(request), String.valueOf(request.getRemoteAddr()));
  }

  /** Returns the id of the request, or a new one if it never passed the filter. */
  static String of(HttpServletRequest request) {
    if (request.getAttribute(ATTRIBUTE) instanceof String id) {
      return id;
    }
    String made = IdText.encode(UUID.randomUUID());
    request.setAttribute(ATTRIBUTE, made);
    return made;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String given = request.getHeader(HEADER);
    String id =
        given != null && HARMLESS.matcher(given).matches() ? given : IdText.encode(ids.next());
    request.setAttribute(ATTRIBUTE, id);
    response.setHeader(HEADER, id);
    MDC.put(LOG_FIELD, id);
    try {
      chain.doFilter(request, response);
    } finally {
      MDC.remove(LOG_FIELD);
    }
  }
}
