package dev.fairlead.work.workload.output;

import dev.fairlead.work.log.LogPosition;
import java.io.Closeable;
import java.io.IOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a member after a position. They were read from the cluster from the second of the
 * position. Lines that the cluster no longer has are detected by its first line, which differs from
 * the recorded one.
 */
public final class NewLines implements Closeable {
  private final OutputLines lines;
  private final LogPosition from;
  private LogPosition position;
  private @Nullable Instant before;
  private long seen;
  private boolean shortened;
  private @Nullable Instant missingSince;

  public NewLines(OutputLines lines, LogPosition from) {
    this.lines = lines;
    this.from = from;
    this.position = from;
  }

  /** A new line with its effective time. */
  public record NewLine(Instant at, OutputLines.Line line) {}

  /** Returns without waiting whether a whole line, new or not, is available. */
  public boolean ready() {
    return lines.ready();
  }

  /** The next new line, null at the end of the stream. {@link #take} takes it. */
  public @Nullable NewLine next() throws IOException {
    for (OutputLines.Line line = lines.next(); line != null; line = lines.next()) {
      Instant at = line.at() == null ? before : line.at();
      if (at == null && timed() || before(at)) {
        continue; // the rest of an earlier line, or older than the request
      }
      Instant time = at == null ? Instant.EPOCH : at;
      before = time;
      if (isNew(time)) {
        return new NewLine(time, line);
      }
    }
    return null;
  }

  /** Returns whether lines had times so far. Lines of a cluster without times are only counted. */
  private boolean timed() {
    return from.second() != null && from.second().isAfter(Instant.EPOCH);
  }

  private boolean before(@Nullable Instant at) {
    return at != null && from.second() != null && at.isBefore(from.second());
  }

  private boolean isNew(Instant at) {
    seen++;
    Instant first = from.first();
    Instant last = from.last();
    if (seen == 1 && first != null && !first.equals(at)) {
      shortened = true;
      missingSince = last != null && at.isAfter(last) ? last : null;
      position = new LogPosition(from.second(), null, 0, last);
    }
    if (!shortened) {
      return seen > from.taken();
    }
    boolean fresh = last == null || at.isAfter(last);
    if (!fresh) {
      position = position.after(at);
    }
    return fresh;
  }

  /** Skips the line. */
  public void take(NewLine line) {
    position = position.after(line.at());
  }

  /** Skips the rest of the second of the last line that was read. */
  public void giveUpSecond() {
    if (before != null) {
      position = LogPosition.after(before, position.last());
    }
  }

  /** After the lines that were taken. */
  public LogPosition position() {
    return position;
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }

  /**
   * Time since which lines before the first new line are missing, null if no line is known to be
   * missing.
   */
  public @Nullable Instant missingSince() {
    return missingSince;
  }
}
