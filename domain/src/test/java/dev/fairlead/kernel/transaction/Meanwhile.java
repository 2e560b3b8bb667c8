package dev.fairlead.kernel.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Work of another thread during an open transaction. */
public final class Meanwhile {
  /** Observation time of a thread that must wait. A store without the lock fails sooner. */
  private static final long WATCHED_MILLIS = 200;

  private Meanwhile() {}

  /** Gives the work time to end. One store permits it to finish, another blocks it with a lock. */
  public static void mayEnd(Future<?> work) {
    ended(work);
  }

  public static void waits(Future<?> work) {
    assertThat(ended(work)).as("passed the open transaction").isFalse();
  }

  private static boolean ended(Future<?> work) {
    try {
      work.get(WATCHED_MILLIS, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException waits) {
      return false;
    } catch (InterruptedException | ExecutionException broken) {
      throw new IllegalStateException(broken);
    }
  }
}
