package dev.fairlead.kernel.identity;

import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/**
 * The text form of an identifier: 128 bits as 26 characters of Crockford base32, lower case, most
 * significant first (https://www.crockford.com/base32.html).
 */
public final class IdText {
  private static final String ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

  /** Derived from the bare characters. */
  public static final int LENGTH = 26;

  private static final int BITS = 5;
  private static final int MASK = 31;

  private IdText() {}

  public static String encode(UUID id) {
    char[] text = new char[LENGTH];
    long high = id.getMostSignificantBits();
    long low = id.getLeastSignificantBits();
    for (int i = LENGTH - 1; i >= 0; i--) {
      text[i] = ALPHABET.charAt((int) (low & MASK));
      low = (low >>> BITS) | (high << (Long.SIZE - BITS));
      high >>>= BITS;
    }
    return new String(text);
  }

  /** Reads the bare 26 characters, empty for anything else, upper case included. */
  public static Optional<UUID> decode(String bare) {
    if (bare.length() != LENGTH || bare.charAt(0) > '7') {
      return Optional.empty();
    }
    long high = 0;
    long low = 0;
    for (int i = 0; i < LENGTH; i++) {
      int digit = ALPHABET.indexOf(bare.charAt(i));
      if (digit < 0) {
        return Optional.empty();
      }
      high = (high << BITS) | (low >>> (Long.SIZE - BITS));
      low = (low << BITS) | digit;
    }
    return Optional.of(new UUID(high, low));
  }

  /** Reads a prefixed text of the given kind, empty when the prefix or the characters are wrong. */
  public static Optional<UUID> decode(IdKind kind, String text) {
    String prefix = kind.prefix() + "_";
    return text.toLowerCase(Locale.ROOT).equals(text) && text.startsWith(prefix)
        ? decode(text.substring(prefix.length()))
        : Optional.empty();
  }
}
