package dev.fairlead.kernel.postgres;

import java.util.Optional;

/**
 * Something encrypted with a data key of its own, and that key encrypted with one of ours. Each is
 * base64 of a nonce and what AES-256-GCM makes.
 *
 * @param keyId of the key that encrypts the data key
 */
public record Envelope(String keyId, String dataKey, String content) {
  private static final String VERSION = "v2";
  private static final int PARTS = 4;

  /** In one line, {@code v2:keyId:dataKey:content}. */
  public String text() {
    return String.join(":", VERSION, keyId, dataKey, content);
  }

  /** Empty for what was stored before there were data keys. */
  public static Optional<Envelope> parse(String text) {
    String[] parts = text.split(":", PARTS);
    return parts.length == PARTS && parts[0].equals(VERSION)
        ? Optional.of(new Envelope(parts[1], parts[2], parts[3]))
        : Optional.empty();
  }
}
