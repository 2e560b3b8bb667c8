package dev.fairlead.kernel.loop;

import dev.fairlead.work.event.WakeUps;
import java.time.Duration;
import java.util.Set;

/** A loop of the form read, decide, write. {@link #tick} is one pass. A test may call it. */
public interface Loop {
  String name();

  /**
   * Role of the process that it belongs to: {@code api}, {@code scheduler}, {@code supervisor},
   * {@code background} or {@code gate}.
   */
  String role();

  /** Maximum time between two passes. */
  Duration idle();

  /** Shortest time between two passes, regardless of wake-ups. */
  default Duration rest() {
    return Duration.ZERO;
  }

  /**
   * Returns whether jobs that the last pass advanced wait for the next pass. A requested pass then
   * begins right after {@link #rest}.
   */
  default boolean awaited() {
    return false;
  }

  default Set<WakeUps.Topic> wakesOn() {
    return Set.of();
  }

  /** Runs one bounded pass. Returns true when more work is due immediately. */
  boolean tick();

  /** Number of objects that its passes could not handle and skipped, 0 at its start. */
  default long passedOver() {
    return 0;
  }

  /** Releases its resources. Called once, after its last pass. */
  default void close() {}
}
