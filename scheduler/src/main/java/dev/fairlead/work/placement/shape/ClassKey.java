package dev.fairlead.work.placement.shape;

import dev.fairlead.kernel.identity.Sha256;

/**
 * Key of an explanation: 32 hexadecimal digits, the first half of the SHA-256 of what the
 * explanation rests on. Stable over cycles and restarts, since records write their content in one
 * form.
 */
public final class ClassKey {
  private static final int DIGITS = 32;

  private ClassKey() {}

  /**
   * @param content all that the explanation rests on, or digests of it
   */
  public static String of(String content) {
    return Sha256.hex(content).substring(0, DIGITS);
  }
}
