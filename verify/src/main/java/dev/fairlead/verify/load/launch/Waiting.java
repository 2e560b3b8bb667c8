package dev.fairlead.verify.load.launch;

import dev.fairlead.launcher.LocalCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;

/** Polls a condition. */
final class Waiting {
  private static final Duration EVERY = Duration.ofMillis(100);

  private Waiting() {}

  /**
   * @throws IllegalStateException when it does not hold within that time
   */
  static void until(String what, Duration most, BooleanSupplier so) throws InterruptedException {
    Instant until = Instant.now().plus(most);
    while (!so.getAsBoolean()) {
      if (Instant.now().isAfter(until)) {
        throw new IllegalStateException("not within " + most.toSeconds() + " s: " + what);
      }
      Thread.sleep(EVERY);
    }
  }

  /** Returns whether no pod of Fairlead remains. */
  static boolean podless(LocalCluster cluster) {
    return cluster
        .kubectl("get", "pods", "-A", "-l", "fairlead.dev/managed-by=fairlead", "-o", "name")
        .isBlank();
  }
}
