package dev.fairlead.work.serving.gate;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Responses of the gate itself. Their texts are fixed words, which need no escapes. */
final class GateAnswers {
  static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;

  private GateAnswers() {}

  /**
   * @param openAi whether the body has the form of errors of the OpenAI API
   */
  static void answer(HttpServletResponse response, int status, String detail, boolean openAi)
      throws IOException {
    if (openAi) {
      String type = status >= SERVER_ERROR ? "server_error" : "invalid_request_error";
      error(response, status, type, null, detail);
    } else {
      response.setStatus(status);
      response.setContentType("application/problem+json");
      write(response, "{\"status\":%d,\"detail\":\"%s\"}".formatted(status, detail));
    }
  }

  /** Refuses a request without a valid key of its service. */
  static void wrongKey(HttpServletResponse response) throws IOException {
    response.setHeader("WWW-Authenticate", "Bearer");
    error(
        response,
        HttpServletResponse.SC_UNAUTHORIZED,
        "invalid_request_error",
        "invalid_api_key",
        "No valid API key of this service. Send one as Authorization: Bearer flk_... It may be revoked or expired.");
  }

  /** Refuses a request beyond a limit of its key. */
  static void limited(HttpServletResponse response, KeyMeter.Reached reached) throws IOException {
    String unit = reached.tokens() ? "tokens" : "requests";
    retryAfter(response, reached.retryAfter());
    error(
        response,
        TOO_MANY_REQUESTS,
        unit,
        "rate_limit_exceeded",
        "The key has a limit of %d %s per minute, which is reached. Repeat the request after %d s."
            .formatted(reached.limit(), unit, reached.retryAfter().toSeconds()));
  }

  /** Refuses a model that the service does not have. */
  static void noModel(HttpServletResponse response, String only) throws IOException {
    error(
        response,
        HttpServletResponse.SC_NOT_FOUND,
        "invalid_request_error",
        "model_not_found",
        "This service has no such model. Its only model is %s.".formatted(only));
  }

  static void json(HttpServletResponse response, String body) throws IOException {
    response.setContentType("application/json");
    write(response, body);
  }

  static void retryAfter(HttpServletResponse response, Duration time) {
    response.setHeader("Retry-After", Long.toString(Math.max(1, time.toSeconds())));
  }

  private static void error(
      HttpServletResponse response, int status, String type, @Nullable String code, String detail)
      throws IOException {
    response.setStatus(status);
    response.setContentType("application/json");
    write(
        response,
        "{\"error\":{\"message\":\"%s\",\"type\":\"%s\",\"param\":null,\"code\":%s}}"
            .formatted(detail, type, code == null ? "null" : "\"" + code + "\""));
  }

  private static void write(HttpServletResponse response, String body) throws IOException {
    response.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
  }
}
