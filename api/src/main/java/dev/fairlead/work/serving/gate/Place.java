package dev.fairlead.work.serving.gate;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The place of one request in the gate. If its client leaves, or its replica is silent for too
 * long, the thread of the request is interrupted.
 */
final class Place implements AutoCloseable {
  private final RequestBody body;
  private final Consumer<Place> leave;
  private final Thread thread = Thread.currentThread();
  private final ReentrantLock lock = new ReentrantLock();
  private boolean awaited;
  private long awaitedSince;
  private boolean interrupted;
  private boolean closed;
  private volatile boolean left;

  /**
   * The request of the current thread.
   *
   * @param leave runs once, with {@link #close}
   */
  Place(RequestBody body, Consumer<Place> leave) {
    this.body = body;
    this.leave = leave;
  }

  /** Returns whether the client has left. */
  boolean left() {
    return left;
  }

  /** Sets whether the thread waits for the next bytes of a response that has begun. */
  void awaits(boolean bytes) {
    lock.lock();
    try {
      awaited = bytes;
      awaitedSince = System.nanoTime();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the request of a disconnected client, and a response without a byte for a time. The thread
   * is interrupted with each call, because a write of Tomcat that waits for a slow client ignores
   * interruptions.
   *
   * @param longest that time
   */
  void look(Duration longest) {
    boolean gone = body.left();
    lock.lock();
    try {
      boolean silent = awaited && System.nanoTime() - awaitedSince > longest.toNanos();
      if (!closed && (gone || silent)) {
        left |= gone;
        interrupted = true;
        thread.interrupt();
      }
    } finally {
      lock.unlock();
    }
  }

  /** An interruption of this request cannot reach a later request on the same thread. */
  @Override
  public void close() {
    body.release();
    lock.lock();
    try {
      closed = true;
      if (interrupted) {
        boolean _ = Thread.interrupted();
      }
    } finally {
      lock.unlock();
    }
    leave.accept(this);
  }
}
