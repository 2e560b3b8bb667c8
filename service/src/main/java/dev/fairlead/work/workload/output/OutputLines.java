package dev.fairlead.work.workload.output;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Lines of output that begin with their times, as in the output of clusters and in chunks. Memory
 * is bounded: only the first {@value #LONGEST} bytes of a longer line are stored. Other bytes are
 * unchanged.
 */
public final class OutputLines implements Closeable {
  /** Stored bytes of a line. */
  public static final int LONGEST = 64 * 1024;

  private static final int LONGEST_TIME = 40;
  private static final int LONGEST_MARK = 200;
  private static final int BUFFER = 16 * 1024;

  private static final Instant LAST = Instant.parse("9999-01-01T00:00:00Z");

  /** Clocks of clusters are at most so far ahead. */
  private static final Duration AHEAD = Duration.ofDays(1);

  private final InputStream from;
  private final int longest;
  private final InstantSource clock;
  private final byte[] buffer = new byte[BUFFER];
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private int filled;
  private int position;

  private OutputLines(InputStream from, int longest, InstantSource clock) {
    this.from = from;
    this.longest = longest;
    this.clock = clock;
  }

  /**
   * Lines as a cluster returns them. The continuation of a long line may look like a time: a time
   * before 1970, or more than a day after the clock, counts as text.
   */
  public static OutputLines ofCluster(InputStream from, InstantSource clock) {
    return new OutputLines(from, LONGEST, clock);
  }

  /** Returns lines in stored form, with marks on truncated lines. */
  public static OutputLines ofChunk(InputStream from) {
    return new OutputLines(from, LONGEST + LONGEST_MARK, InstantSource.fixed(LAST));
  }

  /**
   * A line.
   *
   * @param at when it was written, null for a line without a time
   * @param text without its time and its end
   * @param cut number of its bytes that are not stored
   * @param ended whether its end was read. The last one may have none yet
   */
  @SuppressWarnings("ArrayRecordComponent") // the bytes of a line are never compared
  public record Line(@Nullable Instant at, byte[] text, long cut, boolean ended) {
    /** The line with a mark at the truncation. */
    public byte[] shown() {
      if (cut == 0) {
        return text;
      }
      ByteArrayOutputStream shown = new ByteArrayOutputStream();
      shown.writeBytes(text);
      shown.writeBytes(
          LogMark.line(cut + " further bytes of this line are not stored")
              .getBytes(StandardCharsets.UTF_8));
      return shown.toByteArray();
    }
  }

  /** Returns whether a whole line is available without waiting. */
  public boolean ready() {
    for (int at = position; at < filled; at++) {
      if (buffer[at] == '\n') {
        return true;
      }
    }
    return false;
  }

  /**
   * The next line, waited for as the stream does, null at its end.
   *
   * @throws IOException when the stream breaks
   */
  public @Nullable Line next() throws IOException {
    line.reset();
    long cut = 0;
    while (position < filled || fill()) {
      int end = position;
      while (end < filled && buffer[end] != '\n') {
        end++;
      }
      int keep = Math.min(end - position, longest + LONGEST_TIME - line.size());
      line.write(buffer, position, keep);
      cut += end - position - keep;
      position = end + 1;
      if (end < filled) {
        return parsed(line.toByteArray(), cut, true);
      }
    }
    return line.size() == 0 ? null : parsed(line.toByteArray(), cut, false);
  }

  private boolean fill() throws IOException {
    int got = from.read(buffer, 0, buffer.length);
    position = 0;
    filled = Math.max(got, 0);
    return got > 0;
  }

  private Line parsed(byte[] bytes, long cut, boolean ended) {
    int blank = 0;
    while (blank < bytes.length && blank < LONGEST_TIME && bytes[blank] != ' ') {
      blank++;
    }
    Instant at = time(new String(bytes, 0, blank, StandardCharsets.ISO_8859_1));
    int begin = at == null ? 0 : Math.min(blank + 1, bytes.length);
    int keep = Math.min(bytes.length - begin, longest);
    byte[] text = new byte[keep];
    System.arraycopy(bytes, begin, text, 0, keep);
    return new Line(at, text, cut + bytes.length - begin - keep, ended);
  }

  private @Nullable Instant time(String text) {
    try {
      Instant at = Instant.parse(text);
      return at.isBefore(Instant.EPOCH) || at.isAfter(clock.instant().plus(AHEAD)) ? null : at;
    } catch (DateTimeException none) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    from.close();
  }
}
