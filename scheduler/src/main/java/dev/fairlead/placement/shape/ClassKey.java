package dev.fairlead.placement.shape;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Key of an explanation: 32 hexadecimal digits, the first half of the SHA-256 of what the
 * explanation rests on. Stable over cycles and restarts, since records write their content in one
 * form.
 */
public final class ClassKey {
  private static final int BYTES = 16;

  private ClassKey() {}

  /**
   * @param individual what sets a job apart from others of its shape, empty for nothing
   */
  public static String of(JobShape shape, String individual) {
    return hash(shape + "|" + individual);
  }

  /** Key of what concerns jobs of any shape. */
  public static String of(String content) {
    return hash(content);
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
