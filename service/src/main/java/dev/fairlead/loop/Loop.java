package dev.fairlead.loop;

import dev.fairlead.event.WakeUps;
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

  Set<WakeUps.Topic> wakesOn();

  /** One bounded turn. Returns true when there is more to do at once. */
  boolean tick();

  /** Hands back what it holds; called once, after its last turn. */
  void close();
}
