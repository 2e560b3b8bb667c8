package dev.fairlead.people.audit.chain;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/** The 32 bytes of a SHA-256 or HMAC-SHA256 as four numbers. */
public record Digest(long first, long second, long third, long fourth) {
  static final int BYTES = 32;

  /** The previous signature of the first link. */
  public static final Digest NONE = new Digest(0, 0, 0, 0);

  /** A digest that no key produces. */
  private static final Digest INVALID = new Digest(-1, -1, -1, -1);

  /**
   * Returns the digest of 32 bytes. For any other length, the result is a digest that equals no
   * valid digest.
   */
  public static Digest of(byte[] bytes) {
    if (bytes.length != BYTES) {
      return INVALID;
    }
    return from(ByteBuffer.wrap(bytes));
  }

  static Digest from(ByteBuffer bytes) {
    return new Digest(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
  }

  void writeTo(ByteBuffer message) {
    message.putLong(first).putLong(second).putLong(third).putLong(fourth);
  }

  /** Returns 64 hexadecimal digits. */
  public String hex() {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    writeTo(bytes);
    return HexFormat.of().formatHex(bytes.array());
  }
}
