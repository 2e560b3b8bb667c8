package dev.fairlead.launcher.demo;

import dev.fairlead.launcher.StartFailed;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;

/** Waits for external events. */
final class Patience {
  private static final Duration POLL = Duration.ofMillis(200);

  private Patience() {}

  /**
   * @throws StartFailed when it does not hold in time
   */
  static void await(String what, Duration most, BooleanSupplier holds) throws InterruptedException {
    Instant until = Instant.now().plus(most);
    while (!holds.getAsBoolean()) {
      if (Instant.now().isAfter(until)) {
        throw new StartFailed(what + ": not within " + most.toSeconds() + " s");
      }
      Thread.sleep(POLL);
    }
  }
}
