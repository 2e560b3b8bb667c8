package dev.fairlead.work.serving.gate;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The body of a request up to a length. The thread that sends it may outlive the request, so no
 * read begins after {@link #close}, which waits for the present one.
 */
final class RequestBody extends InputStream {
  private final InputStream from;
  private final long most;
  private final ReentrantLock lock = new ReentrantLock();
  private long read;
  private boolean closed;
  private volatile boolean begun;
  private volatile boolean tooLong;

  RequestBody(InputStream from, long most) {
    this.from = from;
    this.most = most;
  }

  /** Whether it was read, so that the request cannot be repeated. */
  boolean begun() {
    return begun;
  }

  boolean tooLong() {
    return tooLong;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    lock.lock();
    try {
      if (closed) {
        throw new IOException("the request has ended");
      }
      begun = true;
      int count = from.read(into, offset, length);
      read += Math.max(0, count);
      if (read > most) {
        tooLong = true;
        throw new IOException("the body is longer than " + most + " bytes");
      }
      return count;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
  }
}
