package dev.fairlead.work.serving.gate;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The time of the database, computed from the clock of this machine and the difference of both at
 * the last exchange. So all gates count a request in the same minute, and a machine with a wrong
 * clock accepts no expired key.
 */
final class GateClock implements InstantSource {
  private final InstantSource machine;
  private volatile Duration ahead = Duration.ZERO;

  GateClock(InstantSource machine) {
    this.machine = machine;
  }

  /** It is that time now. */
  void set(Instant database) {
    ahead = Duration.between(machine.instant(), database);
  }

  @Override
  public Instant instant() {
    return machine.instant().plus(ahead);
  }
}
