package dev.fairlead.work.serving.gate;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the bytes that all responses together hold while their usage objects are read. Each
 * response may hold {@link #FREE} bytes without asking.
 */
final class UsageMemory {
  /** Maximum number of bytes of all responses of a process together. */
  static final long MOST = 64L * 1024 * 1024;

  /** Bytes of a response that do not count, twice the size of a read. */
  static final int FREE = 16 * 1024;

  private static final int UNIT = 64 * 1024;

  /** An event is held in a buffer that doubles, as a text, and as a tree. */
  private static final long COPIES = 4;

  private final long most;
  private final AtomicLong held = new AtomicLong();

  UsageMemory(long most) {
    this.most = most;
  }

  /** Bytes that are held now. */
  long held() {
    return held.get();
  }

  /** The part of a response. */
  Part part() {
    return new Part();
  }

  /** Bytes that one response holds. Used by a single thread. */
  final class Part implements AutoCloseable {
    private long own;

    private Part() {}

    /** Holds so many unread bytes instead of those before. Returns false if that is too much. */
    boolean holds(int bytes) {
      long wanted = bytes <= FREE ? 0 : COPIES * UNIT * Math.ceilDiv(bytes, UNIT);
      long more = wanted - own;
      if (more == 0) {
        return true;
      }
      if (held.addAndGet(more) > most && more > 0) {
        held.addAndGet(-more);
        return false;
      }
      own = wanted;
      return true;
    }

    @Override
    public void close() {
      boolean _ = holds(0);
    }
  }
}
