package dev.fairlead.kernel.web;

import jakarta.servlet.http.HttpServletRequest;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Checks whether the caller of a long request still has access: its token may have been revoked or
 * may have expired.
 */
public final class StreamReauthorization {
  /**
   * Interval of the checks. With the cache of tokens, a revoked token ends the request after at
   * most 5 s.
   */
  public static final Duration LOOK = Duration.ofSeconds(2);

  /** Time for which a session may continue while its access cannot be checked. */
  private static final Duration UNCHECKED = Duration.ofSeconds(10);

  private static final String ATTRIBUTE = StreamReauthorization.class.getName();
  private static final String SESSION = ATTRIBUTE + ".session";

  private StreamReauthorization() {}

  /** Sets the check of a request. */
  public static void set(HttpServletRequest request, BooleanSupplier standing) {
    request.setAttribute(ATTRIBUTE, standing);
  }

  /** Sets a different check for a session with a bounded duration. */
  public static void setForSession(HttpServletRequest request, BooleanSupplier standing) {
    request.setAttribute(SESSION, standing);
  }

  /**
   * Returns false if the access has ended.
   *
   * @throws RuntimeException if the check failed
   */
  static boolean known(HttpServletRequest request) {
    return !(request.getAttribute(ATTRIBUTE) instanceof BooleanSupplier standing)
        || standing.getAsBoolean();
  }

  /**
   * Returns the check of a session, for a use after the request. True without a check, and for 10 s
   * after the last success if the check fails, so that a short outage of the database ends no
   * session.
   */
  public static BooleanSupplier of(HttpServletRequest request) {
    Object own = request.getAttribute(SESSION);
    return (own == null ? request.getAttribute(ATTRIBUTE) : own) instanceof BooleanSupplier standing
        ? patient(standing, System::nanoTime)
        : () -> true;
  }

  /** The check with the same patience. */
  public static BooleanSupplier patient(BooleanSupplier standing) {
    return patient(standing, System::nanoTime);
  }

  static BooleanSupplier patient(BooleanSupplier standing, LongSupplier nanos) {
    AtomicLong known = new AtomicLong(nanos.getAsLong());
    return () -> {
      try {
        boolean stands = standing.getAsBoolean();
        known.set(nanos.getAsLong());
        return stands;
      } catch (RuntimeException unchecked) {
        return nanos.getAsLong() - known.get() < UNCHECKED.toNanos();
      }
    };
  }

  /** Also returns false if the check failed, because data from a cluster needs no database. */
  private static boolean stands(BooleanSupplier standing) {
    try {
      return standing.getAsBoolean();
    } catch (RuntimeException unknown) {
      return false;
    }
  }

  /**
   * Returns the source, which is closed when the access ends, even while a read waits. The reader
   * must close it.
   */
  public static InputStream cutting(HttpServletRequest request, InputStream source) {
    if (!(request.getAttribute(ATTRIBUTE) instanceof BooleanSupplier standing)) {
      return source;
    }
    CountDownLatch ended = new CountDownLatch(1);
    Thread.ofVirtual().name("access").start(() -> watch(standing, source, ended));
    return new FilterInputStream(source) {
      @Override
      public void close() throws IOException {
        ended.countDown();
        super.close();
      }
    };
  }

  private static void watch(BooleanSupplier standing, Closeable source, CountDownLatch ended) {
    try {
      while (!ended.await(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
        if (!stands(standing)) {
          source.close();
          return;
        }
      }
    } catch (IOException broken) { // closed if possible
    } catch (InterruptedException ending) {
      Thread.currentThread().interrupt();
    }
  }
}
