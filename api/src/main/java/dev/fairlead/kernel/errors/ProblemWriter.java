package dev.fairlead.kernel.errors;

import dev.fairlead.kernel.problem.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes problem documents for controllers, filters and the server itself. Content negotiation does
 * not apply: an error is always a problem document.
 */
public final class ProblemWriter {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private ProblemWriter() {}

  /** The document for a refusal of the request. */
  public static Problem of(HttpServletRequest request, Refusal refusal) {
    return Problem.of(refusal, instance(request), RequestIds.of(request));
  }

  /** Does nothing if the response has already begun. */
  public static void write(
      HttpServletRequest request, HttpServletResponse response, Refusal refusal)
      throws IOException {
    if (response.isCommitted()) {
      return;
    }
    Problem problem = of(request, refusal);
    byte[] body = MAPPER.writeValueAsBytes(problem);
    response.resetBuffer();
    response.setStatus(refusal.code().status());
    response.setContentType(Problem.MEDIA_TYPE);
    response.setHeader(RequestIds.HEADER, problem.requestId());
    extraHeaders(request, response, refusal);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
    response.flushBuffer();
  }

  private static void extraHeaders(
      HttpServletRequest request, HttpServletResponse response, Refusal refusal) {
    if (response.containsHeader("Retry-After")) {
      return; // the refusing code has the better message
    }
    Object seconds = refusal.numbers().get(Refusal.RETRY_AFTER);
    if (seconds != null) {
      response.setHeader("Retry-After", seconds.toString());
      return;
    }
    switch (refusal.code()) {
      case UNAVAILABLE -> response.setHeader("Retry-After", "5");
      case IDEMPOTENCY_IN_FLIGHT, RATE_LIMITED -> response.setHeader("Retry-After", "1");
      case UNAUTHENTICATED -> {
        boolean sent = request.getHeader("Authorization") != null;
        response.setHeader(
            "WWW-Authenticate",
            "Bearer realm=\"fairlead\"" + (sent ? ", error=\"invalid_token\"" : ""));
      }
      default -> {}
    }
  }

  /** The requested path, also after the server has forwarded the request to its error page. */
  private static String instance(HttpServletRequest request) {
    Object first = request.getAttribute(jakarta.servlet.RequestDispatcher.ERROR_REQUEST_URI);
    String path = first instanceof String text ? text : String.valueOf(request.getRequestURI());
    return path.length() <= 512 ? path : path.substring(0, 512);
  }
}
