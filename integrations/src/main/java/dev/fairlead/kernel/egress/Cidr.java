package dev.fairlead.kernel.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** A range of addresses, such as {@code 10.0.0.0/8} or {@code fd00::/8}. */
public final class Cidr {
  private final byte[] network;
  private final int bits;

  private Cidr(byte[] network, int bits) {
    this.network = network;
    this.bits = bits;
  }

  /**
   * @throws IllegalArgumentException if the text, which comes from an operator's configuration, is
   *     not a range
   */
  public static Cidr parse(String text) {
    String range = text.strip();
    int slash = range.indexOf('/');
    String literal = slash < 0 ? range : range.substring(0, slash);
    if (!literal.matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")) { // a name would be looked up
      throw refused(text, null);
    }
    try {
      byte[] network = InetAddress.getByName(literal).getAddress();
      int bits =
          slash < 0 ? network.length * Byte.SIZE : Integer.parseInt(range.substring(slash + 1));
      if (bits < 0 || bits > network.length * Byte.SIZE) {
        throw refused(text, null);
      }
      return new Cidr(network, bits);
    } catch (UnknownHostException | NumberFormatException e) {
      throw refused(text, e);
    }
  }

  private static IllegalArgumentException refused(String text, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "\"" + text + "\". Write address ranges such as 10.0.0.0/8", cause);
  }

  boolean contains(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (bytes.length != network.length) {
      return false;
    }
    for (int bit = 0; bit < bits; bit++) {
      int mask = 0x80 >> (bit % Byte.SIZE);
      if (((bytes[bit / Byte.SIZE] ^ network[bit / Byte.SIZE]) & mask) != 0) {
        return false;
      }
    }
    return true;
  }
}
