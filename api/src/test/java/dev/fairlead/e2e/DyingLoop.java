package dev.fairlead.e2e;

import dev.fairlead.kernel.loop.Loop;
import java.time.Duration;

/** Ends its thread like an error of the virtual machine. */
final class DyingLoop implements Loop {
  @Override
  public String name() {
    return "dying";
  }

  @Override
  public String role() {
    return "scheduler";
  }

  @Override
  public Duration idle() {
    return Duration.ofHours(1);
  }

  @Override
  public boolean tick() {
    throw new OutOfMemoryError("of a test");
  }
}
