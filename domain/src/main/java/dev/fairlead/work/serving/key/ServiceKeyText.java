package dev.fairlead.work.serving.key;

import dev.fairlead.kernel.identity.Sha256;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * The text of an API key of a model service: {@code flk_} and 256 random bits as 43 characters.
 * Only its hash is stored. Random bits of this length need neither a salt nor a slow hash.
 */
public final class ServiceKeyText {
  /** Prefix of every key, so that scanners of source code can find it. */
  public static final String PREFIX = "flk_";

  /** Number of random bytes of a key. */
  public static final int BYTES = 32;

  private static final Pattern FORM = Pattern.compile(PREFIX + "[A-Za-z0-9_-]{43}");

  private ServiceKeyText() {}

  public static String of(byte[] random) {
    return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }

  public static boolean isOne(String text) {
    return FORM.matcher(text).matches();
  }

  /** Returns SHA-256 as lower-case hexadecimal. */
  public static String hash(String text) {
    return Sha256.hex(text);
  }
}
