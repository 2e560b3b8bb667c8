package dev.fairlead.work.placement.shape;

import dev.fairlead.kernel.identity.Sha256;

/**
 * Key of an explanation: 32 hexadecimal digits, the first half of the SHA-256 of the content that
 * the explanation is based on. It is stable over cycles and restarts, because records have a fixed
 * text form.
 */
public final class ClassKey {
  private static final int DIGITS = 32;

  private ClassKey() {}

  /**
   * @param content inputs of the explanation, or their digests
   */
  public static String of(String content) {
    return Sha256.hex(content).substring(0, DIGITS);
  }
}
