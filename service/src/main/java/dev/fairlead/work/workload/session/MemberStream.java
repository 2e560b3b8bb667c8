package dev.fairlead.work.workload.session;

import dev.fairlead.work.workload.MemberSession;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a port of a member, as two streams. It buffers one frame: a slow reader slows the
 * member down.
 */
public final class MemberStream implements MemberSession.Receiver, AutoCloseable {
  private static final int PIECE = 32 * 1024;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Runnable active;
  private volatile @Nullable MemberSession member;
  private volatile @Nullable Runnable onClose;
  private volatile boolean closed;
  private @Nullable ByteBuffer data;
  private @Nullable String ended;

  /**
   * @param active runs with each piece of data in either direction
   */
  MemberStream(Runnable active) {
    this.active = active;
  }

  /** Sets the member's end. Its first frames may have arrived already. */
  void of(MemberSession opened) {
    member = opened;
    if (over()) {
      opened.close(); // it was closed during the opening
    }
  }

  /** Returns whether no more data will arrive. */
  boolean over() {
    lock.lock();
    try {
      return ended != null;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void frame(ByteBuffer frame) throws IOException {
    active.run();
    byte channel = frame.get(0);
    if (channel == MemberSession.ERRORS) {
      ended(StandardCharsets.UTF_8.decode(frame.duplicate().position(1)).toString().strip());
    }
    if (channel != MemberSession.OUTPUT || frame.remaining() <= 1) {
      return;
    }
    lock.lock();
    try {
      data = frame.duplicate().position(1);
      changed.signalAll();
      while (ended == null && data != null) {
        changed.await();
      }
      if (data != null) {
        throw new IOException("the connection is closed");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void ended(String why) {
    lock.lock();
    try {
      ended = Objects.requireNonNullElse(ended, why);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Data from the member.
   *
   * @param patience longest wait for data, after which a read fails
   */
  public InputStream input(Duration patience) {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
      }

      @Override
      public int read(byte[] to, int at, int most) throws IOException {
        return most == 0 ? 0 : received(to, at, most, patience);
      }
    };
  }

  private int received(byte[] to, int at, int most, Duration patience) throws IOException {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (data == null && ended == null) {
        if (left <= 0) {
          throw new IOException("the member has sent nothing for " + patience.toSeconds() + " s");
        }
        left = changed.awaitNanos(left);
      }
      if (data == null) {
        if (ended != null && !ended.isEmpty()) {
          throw new IOException(ended);
        }
        return -1;
      }
      int length = Math.min(most, data.remaining());
      data.get(to, at, length);
      if (!data.hasRemaining()) {
        data = null;
        changed.signalAll();
      }
      return length;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      lock.unlock();
    }
  }

  /** Data to the member. A write returns when the data has left. */
  public OutputStream output() {
    return new OutputStream() {
      @Override
      public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
      }

      @Override
      public void write(byte[] from, int at, int length) throws IOException {
        MemberSession to = member;
        for (int done = 0; done < length; done += PIECE) {
          int piece = Math.min(PIECE, length - done);
          if (to == null || over()) {
            throw new IOException("the connection is closed");
          }
          active.run();
          ByteBuffer frame = ByteBuffer.allocate(piece + 1).put(MemberSession.INPUT);
          to.send(frame.put(from, at + done, piece).flip());
        }
      }
    };
  }

  /**
   * Sets an action for each {@link #close}, such as an action that ends the waits of the other end.
   * It runs immediately if this stream is closed.
   */
  public void onClose(Runnable action) {
    onClose = action;
    if (closed) {
      action.run();
    }
  }

  @Override
  public void close() {
    closed = true;
    ended("the connection is closed");
    MemberSession opened = member;
    if (opened != null) {
      opened.close();
    }
    Runnable action = onClose;
    if (action != null) {
      action.run();
    }
  }
}
