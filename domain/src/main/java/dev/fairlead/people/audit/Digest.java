package dev.fairlead.people.audit;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/** The 32 bytes of a SHA-256 or of an HMAC-SHA256, as four numbers. */
public record Digest(long first, long second, long third, long fourth) {
  private static final int BYTES = 32;

  /** Stands where there is nothing to refer to: before the first link. */
  public static final Digest NONE = new Digest(0, 0, 0, 0);

  /** What no key makes. */
  private static final Digest INVALID = new Digest(-1, -1, -1, -1);

  /** Of 32 bytes; of another number of them one that equals no other's. */
  public static Digest of(byte[] bytes) {
    if (bytes.length != BYTES) {
      return INVALID;
    }
    ByteBuffer from = ByteBuffer.wrap(bytes);
    return new Digest(from.getLong(), from.getLong(), from.getLong(), from.getLong());
  }

  void writeTo(ByteBuffer message) {
    message.putLong(first).putLong(second).putLong(third).putLong(fourth);
  }

  /** 64 hexadecimal digits. */
  public String hex() {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    writeTo(bytes);
    return HexFormat.of().formatHex(bytes.array());
  }
}
