package dev.fairlead.kernel.loop;

import dev.fairlead.work.event.WakeUps;
import java.time.Duration;
import java.util.Set;

/** A loop of the form read, decide, write. {@link #tick} is one turn; a test may call it. */
public interface Loop {
  String name();

  /**
   * Role of the process that it belongs to: {@code api}, {@code scheduler}, {@code supervisor} or
   * {@code relay}.
   */
  String role();

  /** Longest time between two turns. */
  Duration idle();

  /** Least time between the turn before and the next one, whoever wakes it. */
  default Duration rest() {
    return Duration.ZERO;
  }

  /**
   * Whether its last turn moved jobs on that wait for the next one. That one then begins at once
   * when it is wanted, after {@link #rest} alone.
   */
  default boolean awaited() {
    return false;
  }

  Set<WakeUps.Topic> wakesOn();

  /** One bounded turn. Returns true when there is more to do at once. */
  boolean tick();

  /** Hands back what it holds; called once, after its last turn. */
  void close();
}
