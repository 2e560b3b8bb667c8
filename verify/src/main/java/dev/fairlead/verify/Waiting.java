package dev.fairlead.verify;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for other processes, with a time limit. */
public final class Waiting {
  /** Time limit of a step that takes seconds, on a machine that also runs other suites. */
  public static final Duration PATIENCE = Duration.ofMinutes(8);

  private static final Duration STEP = Duration.ofMillis(50);

  private Waiting() {}

  /**
   * Polls a condition.
   *
   * @return the waiting time
   * @throws IllegalStateException when the condition did not hold in that time
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
