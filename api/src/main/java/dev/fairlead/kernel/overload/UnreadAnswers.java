package dev.fairlead.kernel.overload;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Large answers that are not read to their end yet. What is behind one is in memory for as long as
 * its reader wants; the largest is a page of jobs with 2 MiB of their specs.
 */
final class UnreadAnswers {
  /** What is shorter is with the operating system as soon as it is written. */
  static final int LARGE = 64 << 10;

  static final int MOST_OF_A_CALLER = 16;
  private static final int MOST_OF_A_TENANT = 64;
  private static final int MOST = 128;
  private static final String ALL = "";
  private final Map<String, Integer> unread = new HashMap<>();

  /**
   * Whether a caller gets no further answer until some are read. Of those that are too many for the
   * process only tenants that have some get none, so that others go on.
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

  /** One that counts once it is large, until it is closed, any number of times. */
  final class Answer implements AutoCloseable {
    private final List<String> payers;
    private long written;
    private boolean counted;
    private boolean closed;

    private Answer(List<String> payers) {
      this.payers = payers;
    }

    /** Before they are. */
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
