package dev.fairlead.kernel.web;

import jakarta.servlet.http.HttpServletRequest;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Whether the caller of a request that goes on for long is still let in: its token may have been
 * revoked or expired since.
 */
public final class StandingAccess {
  /** How often to look, so that with what is remembered of a token an end takes 5 s at most. */
  public static final Duration LOOK = Duration.ofSeconds(2);

  private static final String ATTRIBUTE = StandingAccess.class.getName();

  private StandingAccess() {}

  /** Says for a request how to find out. */
  public static void set(HttpServletRequest request, BooleanSupplier standing) {
    request.setAttribute(ATTRIBUTE, standing);
  }

  /**
   * False when it has ended.
   *
   * @throws RuntimeException when that cannot be found out
   */
  static boolean known(HttpServletRequest request) {
    return !(request.getAttribute(ATTRIBUTE) instanceof BooleanSupplier standing)
        || standing.getAsBoolean();
  }

  /** False also when it cannot be found out: what comes from a cluster needs no database. */
  private static boolean stands(BooleanSupplier standing) {
    try {
      return standing.getAsBoolean();
    } catch (RuntimeException unknown) {
      return false;
    }
  }

  /**
   * The source, which is cut off when access ends, also while a read of it waits; to be closed by
   * its reader.
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
    } catch (IOException broken) {
      // it is closed as far as it can be
    } catch (InterruptedException ending) {
      Thread.currentThread().interrupt();
    }
  }
}
