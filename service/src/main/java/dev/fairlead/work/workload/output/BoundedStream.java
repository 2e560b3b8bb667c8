package dev.fairlead.work.workload.output;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Ends after a given number of bytes. */
final class BoundedStream extends FilterInputStream {
  private final long most;
  private long left;

  BoundedStream(InputStream from, long most) {
    super(from);
    this.most = most;
    this.left = most;
  }

  /** Bytes that were read. */
  long passed() {
    return most - left;
  }

  /** Returns whether the stream ended before the underlying stream. */
  boolean cut() {
    return left <= 0;
  }

  @Override
  public int read() throws IOException {
    int got = cut() ? -1 : super.read();
    left -= got < 0 ? 0 : 1;
    return got;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int got = cut() ? -1 : super.read(target, offset, (int) Math.min(length, left));
    left -= Math.max(got, 0);
    return got;
  }
}
