package dev.fairlead.placement.shape;

import dev.fairlead.identity.Sha256;

/**
 * Key of an explanation: 32 hexadecimal digits, the first half of the SHA-256 of what the
 * explanation rests on. Stable over cycles and restarts, since records write their content in one
 * form.
 */
public final class ClassKey {
  private static final int DIGITS = 32;

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
    return Sha256.hex(text).substring(0, DIGITS);
  }
}
