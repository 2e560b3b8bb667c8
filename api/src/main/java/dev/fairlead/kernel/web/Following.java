package dev.fairlead.kernel.web;

import dev.fairlead.kernel.errors.DatabaseTrouble;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Decides whether a stream continues. While the database is unreachable nothing is sent, because
 * the caller may have lost its access. The connection stays open, because the client would only
 * open it again. For one thread.
 */
public final class Following {
  /**
   * The number of checks without a response before the stream ends: a minute with {@link
   * StreamReauthorization#LOOK}.
   */
  static final int MOST_UNKNOWN = 30;

  private final HttpServletRequest request;
  private int unknown;

  /** State of the stream until the next check. */
  public enum Next {
    SEND,
    HOLD,
    END
  }

  public Following(HttpServletRequest request) {
    this.request = request;
  }

  /** Checks now. */
  public Next look() {
    try {
      boolean stands = StreamReauthorization.known(request);
      unknown = 0;
      return stands ? Next.SEND : Next.END;
    } catch (RuntimeException failed) {
      unknown++;
      return DatabaseTrouble.in(failed) && unknown <= MOST_UNKNOWN ? Next.HOLD : Next.END;
    }
  }
}
