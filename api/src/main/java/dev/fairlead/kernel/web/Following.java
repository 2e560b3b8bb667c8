package dev.fairlead.kernel.web;

import jakarta.servlet.http.HttpServletRequest;

/**
 * Whether a stream goes on. While the database is away nothing is sent, since the caller may have
 * lost its access, and the connection stays: it would only be opened again. For one thread.
 */
public final class Following {
  /** After so many looks without an answer it ends: a minute with {@link StandingAccess#LOOK}. */
  static final int MOST_UNKNOWN = 30;

  private final HttpServletRequest request;
  private int unknown;

  /** What the stream may do until the next look. */
  public enum Next {
    SEND,
    HOLD,
    END
  }

  public Following(HttpServletRequest request) {
    this.request = request;
  }

  /** Looks now. */
  public Next look() {
    try {
      boolean stands = StandingAccess.known(request);
      unknown = 0;
      return stands ? Next.SEND : Next.END;
    } catch (RuntimeException failed) {
      unknown++;
      return DatabaseTrouble.in(failed) && unknown <= MOST_UNKNOWN ? Next.HOLD : Next.END;
    }
  }
}
