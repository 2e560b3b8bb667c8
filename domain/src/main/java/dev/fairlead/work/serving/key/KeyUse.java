package dev.fairlead.work.serving.key;

/**
 * Use of a key.
 *
 * @param requests requests that reached a replica
 * @param promptTokens by the {@code usage} objects of their responses
 * @param completionTokens by the {@code usage} objects of their responses
 * @param unmetered POST requests with a status below 400 and no complete {@code usage} object in
 *     the response, so that their tokens are unknown
 */
public record KeyUse(long requests, long promptTokens, long completionTokens, long unmetered) {
  public static final KeyUse NONE = new KeyUse(0, 0, 0, 0);

  public KeyUse plus(KeyUse other) {
    return new KeyUse(
        requests + other.requests,
        promptTokens + other.promptTokens,
        completionTokens + other.completionTokens,
        unmetered + other.unmetered);
  }

  /** Prompt and completion tokens together. */
  public long tokens() {
    return promptTokens + completionTokens;
  }
}
