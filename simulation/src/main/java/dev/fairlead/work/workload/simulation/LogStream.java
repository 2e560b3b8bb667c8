package dev.fairlead.work.workload.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Lines of a pod, generated when they are read. */
final class LogStream extends InputStream {
  /** Source of lines. */
  interface Lines {
    /**
     * Returns the line with that number, waiting while {@code open} is true. The result is null
     * when none follows.
     *
     * @throws IOException when the wait is interrupted
     */
    @Nullable String await(long number, BooleanSupplier open) throws IOException;
  }

  private final Lines lines;
  private long number;
  private byte[] line = new byte[0];
  private int position;
  private volatile boolean closed;

  LogStream(Lines lines, long first) {
    this.lines = lines;
    number = first;
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
    int count = Math.min(length, line.length - position);
    System.arraycopy(line, position, target, offset, count);
    position += count;
    return count;
  }

  @Override
  public int available() {
    return line.length - position;
  }

  @Override
  public void close() {
    closed = true;
  }

  private boolean fill() throws IOException {
    if (position < line.length) {
      return true;
    }
    String next = closed ? null : lines.await(number, () -> !closed);
    if (next == null) {
      return false;
    }
    number++;
    position = 0;
    line = (next + "\n").getBytes(StandardCharsets.UTF_8);
    return true;
  }
}
