package dev.fairlead.work.webhook.https;

import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.HttpAnswer;
import dev.fairlead.kernel.egress.HttpsPool;
import dev.fairlead.kernel.egress.SafeHttps;
import dev.fairlead.kernel.egress.ServerUrl;
import dev.fairlead.work.webhook.WebhookAnswer;
import dev.fairlead.work.webhook.WebhookCalls;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * {@link WebhookCalls} by {@link HttpsPool}: one checked address, no redirect, no proxy. Only the
 * beginning of a response is read, so a huge one costs nothing.
 */
final class HttpsWebhooks implements WebhookCalls {
  private final EgressPolicy egress;
  private final HttpsPool receivers;

  /**
   * @param most time of one call, from the connection to the end of the response
   */
  HttpsWebhooks(EgressPolicy egress, Duration most) {
    this.egress = egress;
    this.receivers = new HttpsPool(egress, most, WebhookAnswer.LONGEST_TEXT);
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
    HttpAnswer answer = receivers.post(url, caData, headers, body);
    return new WebhookAnswer(
        answer.status(),
        SafeHttps.brief(answer.beginning(), WebhookAnswer.LONGEST_TEXT),
        retryAfter(answer.retryAfter()));
  }

  private static @Nullable Duration retryAfter(@Nullable String given) {
    return given != null && given.matches("[0-9]{1,6}")
        ? Duration.ofSeconds(Long.parseLong(given))
        : null;
  }
}
