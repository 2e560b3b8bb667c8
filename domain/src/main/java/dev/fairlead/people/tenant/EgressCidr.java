package dev.fairlead.people.tenant;

import java.math.BigInteger;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A range of addresses, IPv4 or IPv6, in the form of a network policy: {@code 10.0.0.0/8}, {@code
 * 2001:db8::/32}.
 *
 * @param text in its original form
 * @param network its first address
 * @param bits bits of the network, 0 to {@code width}
 * @param width 32 or 128
 */
public record EgressCidr(String text, BigInteger network, int bits, int width) {
  private static final int FOUR = 32;
  private static final int SIX = 128;
  private static final int GROUPS = 8;
  private static final int HEX = 16;
  private static final int BYTE = 256;

  /** Returns an empty result if the text is not a range, or has bits set after its prefix. */
  public static Optional<EgressCidr> parse(String text) {
    String[] parts = text.split("/", -1);
    if (parts.length != 2 || !parts[1].matches("0|[1-9][0-9]{0,2}")) {
      return Optional.empty();
    }
    int width = parts[0].indexOf(':') < 0 ? FOUR : SIX;
    BigInteger network = width == FOUR ? four(parts[0]) : six(parts[0]);
    int bits = Integer.parseInt(parts[1]);
    if (network == null
        || bits > width
        || network.getLowestSetBit() >= 0 && network.getLowestSetBit() < width - bits) {
      return Optional.empty();
    }
    return Optional.of(new EgressCidr(text, network, bits, width));
  }

  /** Returns whether the range contains all addresses of the other range. */
  public boolean holds(EgressCidr other) {
    return width == other.width
        && bits <= other.bits
        && network.shiftRight(width - bits).equals(other.network.shiftRight(width - bits));
  }

  private static @Nullable BigInteger four(String address) {
    String[] parts = address.split("[.]", -1);
    if (parts.length != FOUR / Byte.SIZE) {
      return null;
    }
    long value = 0;
    for (String part : parts) {
      if (!part.matches("0|[1-9][0-9]{0,2}") || Integer.parseInt(part) >= BYTE) {
        return null;
      }
      value = value * BYTE + Integer.parseInt(part);
    }
    return BigInteger.valueOf(value);
  }

  private static @Nullable BigInteger six(String address) {
    int gap = address.indexOf("::");
    String before = gap < 0 ? address : address.substring(0, gap);
    String after = gap < 0 ? "" : address.substring(gap + 2);
    String[] first = before.isEmpty() ? new String[0] : before.split(":", -1);
    String[] last = after.isEmpty() ? new String[0] : after.split(":", -1);
    int missing = GROUPS - first.length - last.length;
    if (gap < 0 ? missing != 0 : missing < 1) {
      return null;
    }
    BigInteger high = groups(first);
    BigInteger low = groups(last);
    return high == null || low == null
        ? null
        : high.shiftLeft((missing + last.length) * Short.SIZE).or(low);
  }

  private static @Nullable BigInteger groups(String[] groups) {
    BigInteger value = BigInteger.ZERO;
    for (String group : groups) {
      if (!group.matches("[0-9a-fA-F]{1,4}")) {
        return null;
      }
      value = value.shiftLeft(Short.SIZE).or(new BigInteger(group, HEX));
    }
    return value;
  }
}
