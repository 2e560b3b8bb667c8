package dev.fairlead.kernel.trace.web.spi;

import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.Sha256;
import dev.fairlead.kernel.trace.JobSpan;
import dev.fairlead.kernel.trace.JobSpanBuilder;
import dev.fairlead.kernel.trace.TraceContext;
import dev.fairlead.kernel.trace.TraceExporter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
 * Creates the span of each request that changes something: a child of the span in {@code
 * traceparent}, or the root of a new trace. The response has the span in the same header, and log
 * lines have it in {@code traceId}.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
public class TraceHeaders extends OncePerRequestFilter {
  static final String HEADER = "traceparent";
  private static final String ATTRIBUTE = TraceHeaders.class.getName();
  private static final String LOG_FIELD = "traceId";
  private static final String OPERATIONS = "/api/";
  private static final int SERVER_ERROR = 500;
  private static final Set<String> CHANGES = Set.of("POST", "PUT", "PATCH", "DELETE");
  private final TraceExporter exporter;
  private final IdSource ids;
  private final InstantSource clock;

  public TraceHeaders(TraceExporter exporter, IdSource ids, InstantSource clock) {
    this.exporter = exporter;
    this.ids = ids;
    this.clock = clock;
  }

  /** Returns the span of the request, which may not be sampled. Empty if it has none. */
  public static Optional<TraceContext> of(HttpServletRequest request) {
    return request.getAttribute(ATTRIBUTE) instanceof TraceContext context
        ? Optional.of(context)
        : Optional.empty();
  }

  /** Returns whether the caller chose the trace of the request. */
  public static boolean given(HttpServletRequest request) {
    return above(request).isPresent();
  }

  private static Optional<TraceContext> above(HttpServletRequest request) {
    return Optional.ofNullable(request.getHeader(HEADER)).flatMap(TraceContext::parse);
  }

  @Override
  protected boolean shouldNotFilter(HttpServletRequest request) {
    return !exporter.on() || !CHANGES.contains(request.getMethod());
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    TraceContext above = above(request).orElse(null);
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
      String route =
          String.valueOf(request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE));
      /* A request refused before its operation has no span, as anyone could fill the queue. */
      if (own.sampled() && route.startsWith(OPERATIONS)) {
        exporter.send(List.of(span(request, response, route, own, above, start)));
      }
    }
  }

  private JobSpan span(
      HttpServletRequest request,
      HttpServletResponse response,
      String route,
      TraceContext own,
      @Nullable TraceContext above,
      Instant start) {
    SortedMap<String, String> said = new TreeMap<>();
    said.put("http.request.method", request.getMethod());
    said.put("http.response.status_code", String.valueOf(response.getStatus()));
    said.put("fairlead.request", String.valueOf(response.getHeader("X-Request-Id")));
    said.put("http.route", route);
    return JobSpanBuilder.builder()
        .context(own)
        .parent(above == null ? null : above.span())
        .name(request.getMethod() + " " + route)
        .server(true)
        .start(start)
        .end(clock.instant())
        .attributes(said)
        .failure(response.getStatus() < SERVER_ERROR ? null : String.valueOf(response.getStatus()))
        .build();
  }
}
