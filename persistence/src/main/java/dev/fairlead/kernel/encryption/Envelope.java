package dev.fairlead.kernel.encryption;

/**
 * A value encrypted with its own data key, and the data key encrypted with an encryption key. Each
 * is base64 of a nonce and the output of AES-256-GCM.
 *
 * @param keyId id of the key that encrypts the data key
 */
public record Envelope(String keyId, String dataKey, String content) {
  private static final String VERSION = "v2";
  private static final int PARTS = 4;

  /** Formats the secret on one line as {@code v2:keyId:dataKey:content}. */
  public String text() {
    return String.join(":", VERSION, keyId, dataKey, content);
  }

  /**
   * Parses the {@link #text}.
   *
   * @throws IllegalArgumentException for another text
   */
  public static Envelope parse(String text) {
    String[] parts = text.split(":", PARTS);
    if (parts.length != PARTS || !parts[0].equals(VERSION)) {
      throw new IllegalArgumentException("the stored value is not an envelope " + VERSION);
    }
    return new Envelope(parts[1], parts[2], parts[3]);
  }
}
