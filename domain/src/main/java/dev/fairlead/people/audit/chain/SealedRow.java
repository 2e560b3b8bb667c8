package dev.fairlead.people.audit.chain;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * An audit row as it was sealed.
 *
 * @param at time of the row, in microseconds
 * @param content SHA-256 of the row's content
 */
public record SealedRow(ChainPosition position, Instant at, Digest content) {
  /** The text of a row begins with a letter, so no row has the bytes of a batch. */
  private static final byte FORM = 1;

  private static final int BYTES = Integer.BYTES + 3 * Long.BYTES + Digest.BYTES;
  private static final long MICROS = 1_000_000;
  private static final int NANOS = 1_000;

  /** Returns the stored form of rows. */
  public static byte[] bytes(List<SealedRow> rows) {
    ByteBuffer to = ByteBuffer.allocate(1 + rows.size() * BYTES).put(FORM);
    for (SealedRow row : rows) {
      ChainPosition position = row.position();
      to.putInt(position.incarnation()).putLong(position.transaction()).putLong(position.row());
      to.putLong(micros(row.at()));
      row.content().writeTo(to);
    }
    return to.array();
  }

  /** Returns the rows of a stored form, none if the bytes have another form. */
  public static List<SealedRow> of(byte[] bytes) {
    if (bytes.length % BYTES != 1 || bytes[0] != FORM) {
      return List.of();
    }
    ByteBuffer from = ByteBuffer.wrap(bytes, 1, bytes.length - 1);
    List<SealedRow> rows = new ArrayList<>();
    while (from.hasRemaining()) {
      ChainPosition position = new ChainPosition(from.getInt(), from.getLong(), from.getLong());
      rows.add(new SealedRow(position, instant(from.getLong()), Digest.from(from)));
    }
    return rows;
  }

  static long micros(Instant at) {
    return at.getEpochSecond() * MICROS + at.getNano() / NANOS;
  }

  private static Instant instant(long micros) {
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, MICROS), Math.floorMod(micros, MICROS) * NANOS);
  }
}
