package dev.fairlead.work.workload.output;

import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.LogChunk;
import dev.fairlead.work.log.LogMember;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lines from the store followed by lines from the cluster, without their times. Holds one line in
 * memory.
 */
final class WholeOutput extends InputStream {
  private final ChunkStore store;
  private final LogMember of;
  private final Deque<LogChunk> parts;
  private final @Nullable Instant since;
  private volatile @Nullable Supplier<NewLines> live;
  private long skip;
  private volatile @Nullable OutputLines chunk;
  private volatile @Nullable NewLines following;
  private volatile boolean closed;
  private boolean begun;
  private byte[] line = new byte[0];
  private int position;

  /**
   * @param skip number of lines of the parts to skip
   * @param live opens the lines of the cluster after the parts, null if none
   */
  WholeOutput(
      ChunkStore store,
      LogMember of,
      List<LogChunk> parts,
      long skip,
      @Nullable Instant since,
      @Nullable Supplier<NewLines> live) {
    this.store = store;
    this.of = of;
    this.parts = new ArrayDeque<>(parts);
    this.skip = skip;
    this.since = since;
    this.live = live;
  }

  @Override
  public int read() throws IOException {
    return fill() ? line[position++] & 0xff : -1;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int count = copy(target, offset, length);
    while (count < length && ready()) {
      line = Objects.requireNonNullElse(next(), new byte[0]);
      position = 0;
      count += copy(target, offset + count, length - count);
    }
    return count;
  }

  private int copy(byte[] target, int offset, int length) {
    int count = Math.min(length, line.length - position);
    System.arraycopy(line, position, target, offset, count);
    position += count;
    return count;
  }

  /** Returns whether the next line is available without waiting. */
  private boolean ready() {
    OutputLines stored = chunk;
    NewLines lines = following;
    return stored != null ? stored.ready() : lines != null && lines.ready();
  }

  private boolean fill() throws IOException {
    while (position >= line.length) {
      byte[] next = next();
      if (next == null) {
        return false;
      }
      line = next;
      position = 0;
    }
    return true;
  }

  /** The next line with its end, empty for a skipped line, null at the end. */
  private byte @Nullable [] next() throws IOException {
    requireOpen();
    OutputLines open = chunk;
    if (open != null) {
      OutputLines.Line stored = open.next();
      if (stored != null) {
        return kept(stored);
      }
      open.close();
      chunk = null;
    }
    LogChunk part = parts.poll();
    return part == null ? nextLive() : begin(part);
  }

  private byte[] kept(OutputLines.Line stored) {
    if (skip > 0) {
      skip--;
      return new byte[0];
    }
    Instant at = stored.at();
    return since != null && at != null && at.isBefore(since) ? new byte[0] : ended(stored.text());
  }

  private byte[] begin(LogChunk part) throws IOException {
    String gap = part.gap();
    if (gap != null) {
      return mark(gap);
    }
    try {
      chunk = ChunkWriter.lines(store.open(part.key(of)));
    } catch (NoSuchFileException gone) {
      return mark(part.lines() + " lines are missing: the log store no longer has them");
    } catch (IOException failed) {
      return mark(part.lines() + " lines cannot be read now: " + failed.getMessage());
    }
    closeIfClosed();
    return new byte[0];
  }

  /** A thread that opens a stream while another closes this object must close what it opened. */
  private void closeIfClosed() throws IOException {
    if (closed) {
      close();
      requireOpen();
    }
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("the output was closed");
    }
  }

  private byte @Nullable [] nextLive() throws IOException {
    Supplier<NewLines> toOpen = live;
    if (toOpen != null) {
      live = null;
      try {
        following = toOpen.get();
      } catch (Refusal away) {
        return mark("further output is missing. " + away.getMessage());
      }
      closeIfClosed();
    }
    NewLines lines = following;
    if (lines == null) {
      return null;
    }
    NewLines.NewLine next;
    try {
      next = lines.next();
    } catch (IOException away) {
      if (begun || closed) {
        throw away;
      }
      lines.close();
      following = null;
      return mark("further output is missing. " + away.getMessage());
    }
    if (next == null) {
      return null;
    }
    lines.take(next);
    Instant missing = begun ? null : lines.missingSince();
    begun = true;
    if (missing != null) {
      return joined(mark(LogMark.missing(missing, next.at())), shown(next));
    }
    return shown(next);
  }

  private byte[] shown(NewLines.NewLine next) {
    byte[] text = next.line().shown();
    return since != null && next.at().isBefore(since)
        ? new byte[0]
        : next.line().ended() ? ended(text) : text;
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  private static byte[] mark(String what) {
    return ended(LogMark.line(what).getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] ended(byte[] text) {
    byte[] line = new byte[text.length + 1];
    System.arraycopy(text, 0, line, 0, text.length);
    line[text.length] = '\n';
    return line;
  }

  @Override
  public void close() throws IOException {
    closed = true;
    OutputLines open = chunk;
    NewLines lines = following;
    live = null;
    if (open != null) {
      open.close();
    }
    if (lines != null) {
      lines.close();
    }
  }
}
