package dev.fairlead.trace;

import dev.fairlead.identity.IdSource;
import dev.fairlead.identity.Sha256;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.HandlerMapping;

/**
 * The span of each request that changes something: below the one that {@code traceparent} names, or
 * the first of its trace. The answer names it in the same header, log lines in {@code traceId}.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
public class TraceHeaders extends OncePerRequestFilter {
  static final String HEADER = "traceparent";
  private static final String ATTRIBUTE = TraceHeaders.class.getName();
  private static final String LOG_FIELD = "traceId";
  private static final int SERVER_ERROR = 500;
  private final TraceExporter exporter;
  private final IdSource ids;
  private final InstantSource clock;

  public TraceHeaders(TraceExporter exporter, IdSource ids, InstantSource clock) {
    this.exporter = exporter;
    this.ids = ids;
    this.clock = clock;
  }

  /** The span of the request; empty when it has none, or its trace is not kept. */
  public static Optional<TraceContext> of(HttpServletRequest request) {
    return request.getAttribute(ATTRIBUTE) instanceof TraceContext context && context.sampled()
        ? Optional.of(context)
        : Optional.empty();
  }

  @Override
  protected boolean shouldNotFilter(HttpServletRequest request) {
    return exporter.ratio() <= 0 || request.getMethod().equals("GET");
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String given = request.getHeader(HEADER);
    TraceContext above = given == null ? null : TraceContext.parse(given).orElse(null);
    String digits = Sha256.hex(ids.next().toString());
    TraceContext own =
        above == null
            ? TraceContext.begin(digits.substring(0, 32), exporter.ratio())
            : above.below(digits.substring(48));
    request.setAttribute(ATTRIBUTE, own);
    response.setHeader(HEADER, own.traceparent());
    Instant start = clock.instant();
    MDC.put(LOG_FIELD, own.trace());
    try {
      chain.doFilter(request, response);
    } finally {
      MDC.remove(LOG_FIELD);
      if (own.sampled()) {
        exporter.send(List.of(span(request, response, own, above, start)));
      }
    }
  }

  private JobSpan span(
      HttpServletRequest request,
      HttpServletResponse response,
      TraceContext own,
      @Nullable TraceContext above,
      Instant start) {
    Object route = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
    SortedMap<String, String> said = new TreeMap<>();
    said.put("http.request.method", request.getMethod());
    said.put("http.response.status_code", String.valueOf(response.getStatus()));
    said.put("fairlead.request", String.valueOf(response.getHeader("X-Request-Id")));
    if (route != null) {
      said.put("http.route", route.toString());
    }
    return new JobSpan(
        own,
        above == null ? null : above.span(),
        route == null ? request.getMethod() : request.getMethod() + " " + route,
        true,
        start,
        clock.instant(),
        said,
        response.getStatus() < SERVER_ERROR ? null : String.valueOf(response.getStatus()));
  }
}
