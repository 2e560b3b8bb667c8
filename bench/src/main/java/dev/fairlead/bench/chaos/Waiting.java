package dev.fairlead.bench.chaos;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Bounded waits for other processes. */
public final class Waiting {
  private static final Duration STEP = Duration.ofMillis(50);

  private Waiting() {}

  /**
   * @return how long it took
   * @throws IllegalStateException when it did not come true in that time
   */
  public static Duration until(String what, Duration most, BooleanSupplier holds)
      throws InterruptedException {
    long start = System.nanoTime();
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() - start > most.toNanos()) {
        throw new IllegalStateException("not within " + most.toSeconds() + " s: " + what);
      }
      Thread.sleep(STEP);
    }
    return Duration.ofNanos(System.nanoTime() - start);
  }
}
