package dev.fairlead.work.webhook;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one HTTP call.
 *
 * @param status HTTP status, or 0 when no response arrived
 * @param text beginning of the response or the reason why none arrived, in printable ASCII
 * @param retryAfter wait that the receiver requested, or null
 */
public record WebhookAnswer(int status, String text, @Nullable Duration retryAfter) {
  /** Maximum characters of the text. */
  public static final int LONGEST_TEXT = 500;

  private static final int OK = 200;
  private static final int REDIRECT = 300;
  private static final int GONE = 410;

  /** No response arrived. */
  public static WebhookAnswer none(String why) {
    return new WebhookAnswer(0, why, null);
  }

  /** Returns whether the receiver has the event: any status from 200 to 299. */
  public boolean accepted() {
    return status >= OK && status < REDIRECT;
  }

  /** Returns whether the receiver no longer accepts events. */
  public boolean gone() {
    return status == GONE;
  }

  /** Status and text on one line. */
  public String summary() {
    return status == 0 ? text : text.isEmpty() ? "HTTP " + status : "HTTP " + status + ": " + text;
  }
}
