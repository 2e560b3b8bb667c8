package dev.fairlead.work.webhook;

import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Calls the addresses of webhooks. */
public interface WebhookCalls {
  /**
   * The reason why the address is never called, such as a private address without an operator's
   * permission.
   */
  Optional<String> refuses(String url, @Nullable String caData);

  /**
   * Sends the body by POST, once, within 10 seconds. Follows no redirect. Must not be called inside
   * a transaction.
   *
   * @return the response, with status 0 and the reason when no response arrived. Never throws
   */
  WebhookAnswer post(
      String url, @Nullable String caData, SortedMap<String, String> headers, byte[] body);
}
