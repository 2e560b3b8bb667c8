package dev.fairlead.fleet.operation;

import java.time.Instant;

/**
 * The deadline of a drain.
 *
 * @param at time according to the database's clock
 */
public record DrainDeadline(Instant at, DrainPolicy then) {
  public boolean passed(Instant now) {
    return !now.isBefore(at);
  }

  public boolean stops() {
    return then == DrainPolicy.STOP;
  }
}
