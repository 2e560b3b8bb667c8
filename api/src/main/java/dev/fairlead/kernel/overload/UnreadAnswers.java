package dev.fairlead.kernel.overload;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Large responses that are not fully read yet. A response stays in memory until its reader has it.
 * The largest is a page of jobs with 2 MiB of specs.
 */
final class UnreadAnswers {
  /** A shorter response is in the buffers of the operating system as soon as it is written. */
  static final int LARGE = 64 << 10;

  static final int MOST_OF_A_CALLER = 16;
  private static final int MOST_OF_A_TENANT = 64;
  private static final int MOST = 128;
  private static final String ALL = "";
  private final Map<String, Integer> unread = new HashMap<>();

  /**
   * Returns whether a caller gets no further response until some are read. If the process holds too
   * many, only tenants with unread responses are blocked.
   */
  boolean tooMany(String tenant, String caller) {
    synchronized (unread) {
      return of(callerKey(caller)) >= MOST_OF_A_CALLER
          || of(tenantKey(tenant)) >= MOST_OF_A_TENANT
          || of(ALL) >= MOST && of(tenantKey(tenant)) > 0;
    }
  }

  private int of(String payer) {
    return unread.getOrDefault(payer, 0);
  }

  private static String tenantKey(String tenant) {
    return "tenant " + tenant;
  }

  private static String callerKey(String caller) {
    return "caller " + caller;
  }

  Answer begun(String tenant, String caller) {
    return new Answer(List.of(ALL, tenantKey(tenant), callerKey(caller)));
  }

  /** Counts a response from the moment it is large until it is closed. Closing is idempotent. */
  final class Answer implements AutoCloseable {
    private final List<String> payers;
    private long written;
    private boolean counted;
    private boolean closed;

    private Answer(List<String> payers) {
      this.payers = payers;
    }

    /** Runs before the bytes are written. */
    void writes(int bytes) {
      written += bytes;
      if (written > LARGE && !counted && !closed) {
        counted = true;
        count(1);
      }
    }

    private void count(int more) {
      synchronized (unread) {
        payers.forEach(payer ->
            unread.merge(payer, more, (was, by) -> was + by == 0 ? null : (Integer) (was + by)));
      }
    }

    @Override
    public void close() {
      closed = true;
      if (counted) {
        counted = false;
        count(-1);
      }
    }
  }
}
