package dev.fairlead.work.serving.gate;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The body of a request up to a length. The thread that sends it may outlive the request, so no
 * read begins after {@link #release}, which waits for the current read.
 */
final class RequestBody extends InputStream {
  private final InputStream from;
  private final long length;
  private final long most;
  private final BooleanSupplier client;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicLong read = new AtomicLong();
  private boolean begun;
  private boolean ended;
  private boolean released;
  private volatile boolean tooLong;
  private volatile boolean failed;

  /**
   * @param length length of the body, negative if it is unknown
   * @param most maximum body
   * @param client whether the client has left. Called only while the body is not being read
   */
  RequestBody(InputStream from, long length, long most, BooleanSupplier client) {
    this.from = from;
    this.length = length;
    this.most = most;
    this.client = client;
  }

  /** Number of bytes that were read so far. Does not wait for a read. */
  long count() {
    return read.get();
  }

  boolean tooLong() {
    return tooLong;
  }

  /** Returns whether the client left or stopped while it sent the body. */
  boolean failed() {
    return failed;
  }

  /**
   * Returns whether the client has left. While the body is read, its reader notices the end
   * instead.
   */
  boolean left() {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      return !released && (!begun || ended) && client.getAsBoolean();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int wanted) throws IOException {
    lock.lock();
    try {
      if (released) {
        throw new IOException("the request has ended");
      }
      begun = true;
      int count = fromClient(into, offset, wanted);
      long sum = read.addAndGet(Math.max(0, count));
      ended = count < 0 || sum == length;
      if (sum > most) {
        tooLong = true;
        throw new IOException("the body is longer than " + most + " bytes");
      }
      return count;
    } finally {
      lock.unlock();
    }
  }

  private int fromClient(byte[] into, int offset, int wanted) throws IOException {
    try {
      return from.read(into, offset, wanted);
    } catch (IOException left) {
      failed = true;
      throw left;
    }
  }

  /** The request ends. The HTTP client closes the stream itself, after its last byte. */
  void release() {
    lock.lock();
    try {
      released = true;
    } finally {
      lock.unlock();
    }
  }
}
