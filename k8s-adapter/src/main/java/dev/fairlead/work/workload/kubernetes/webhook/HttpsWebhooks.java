package dev.fairlead.work.workload.kubernetes.webhook;

import dev.fairlead.work.webhook.WebhookAnswer;
import dev.fairlead.work.webhook.WebhookCalls;
import dev.fairlead.work.workload.kubernetes.client.EgressPolicy;
import dev.fairlead.work.workload.kubernetes.client.SafeHttps;
import dev.fairlead.work.workload.kubernetes.client.ServerUrl;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import javax.net.ssl.HttpsURLConnection;
import org.jspecify.annotations.Nullable;

/**
 * {@link WebhookCalls} by {@link SafeHttps}: one checked address, no redirect, no proxy. Only the
 * beginning of a response is read, so a huge one costs nothing.
 */
public final class HttpsWebhooks implements WebhookCalls {
  private final EgressPolicy egress;
  private final Duration most;

  /**
   * @param most time of one call, from the connection to the end of the response
   */
  public HttpsWebhooks(EgressPolicy egress, Duration most) {
    this.egress = egress;
    this.most = most;
  }

  @Override
  public Optional<String> refuses(String url, @Nullable String caData) {
    return Optional.ofNullable(SafeHttps.refusal(url, caData, egress));
  }

  @Override
  public WebhookAnswer post(
      String url, @Nullable String caData, SortedMap<String, String> headers, byte[] body) {
    try {
      return answer(url, caData, headers, body);
    } catch (ServerUrl.Refused
        | EgressPolicy.Refused
        | IOException
        | GeneralSecurityException
        | RuntimeException failed) {
      String why = failed.getMessage() == null ? failed.toString() : failed.getMessage();
      return WebhookAnswer.none(SafeHttps.brief(String.valueOf(why), WebhookAnswer.LONGEST_TEXT));
    }
  }

  private WebhookAnswer answer(
      String url, @Nullable String caData, SortedMap<String, String> headers, byte[] body)
      throws IOException, GeneralSecurityException, ServerUrl.Refused, EgressPolicy.Refused {
    long until = System.nanoTime() + most.toNanos();
    HttpsURLConnection connection = SafeHttps.to(url, "", egress, caData, until);
    try {
      connection.setRequestMethod("POST");
      connection.setDoOutput(true);
      /* The JDK repeats a POST after a lost connection unless its body is streamed. */
      connection.setFixedLengthStreamingMode(body.length);
      connection.setRequestProperty("Content-Type", "application/json");
      headers.forEach(connection::setRequestProperty);
      try (OutputStream out = connection.getOutputStream()) {
        out.write(body);
      }
      int status = connection.getResponseCode();
      if (status < 0) {
        return WebhookAnswer.none("the response is not HTTP");
      }
      return new WebhookAnswer(status, beginning(connection, status), retryAfter(connection));
    } finally {
      connection.disconnect();
    }
  }

  /** The status alone decides: a response that ends early or never is as good as its beginning. */
  private static String beginning(HttpsURLConnection connection, int status) {
    try (InputStream in =
        status < HttpURLConnection.HTTP_BAD_REQUEST
            ? connection.getInputStream()
            : connection.getErrorStream()) {
      byte[] read = in == null ? new byte[0] : in.readNBytes(WebhookAnswer.LONGEST_TEXT);
      return SafeHttps.brief(new String(read, StandardCharsets.UTF_8), WebhookAnswer.LONGEST_TEXT);
    } catch (IOException cutOff) {
      return "";
    }
  }

  private static @Nullable Duration retryAfter(HttpsURLConnection connection) {
    String given = connection.getHeaderField("Retry-After");
    return given != null && given.matches("[0-9]{1,6}")
        ? Duration.ofSeconds(Long.parseLong(given))
        : null;
  }
}
