package dev.fairlead.people.token;

import dev.fairlead.kernel.identity.Sha256;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * The text of a token: {@code fl_} and 256 random bits as 43 characters. Only its hash is stored.
 * Random bits of this length need neither a salt nor a slow hash.
 */
public final class TokenText {
  /** Prefix of every token, so that scanners of source code can find it. */
  public static final String PREFIX = "fl_";

  /** Number of random bytes of a token. */
  public static final int BYTES = 32;

  private static final Pattern FORM = Pattern.compile(PREFIX + "[A-Za-z0-9_-]{43}");

  private TokenText() {}

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
