package dev.fairlead.care.health.quarantine;

import java.time.Duration;
import java.time.Instant;

/**
 * The policy for a fault of one GPU whose holder no source reports. An operator is asked first.
 *
 * @param after time that an operator must decide, from the start of the quarantine
 * @param then applies to each member that may hold the device after that time
 */
public record UnknownHolder(Duration after, Then then) {
  /** Members continue, so that no healthy job is stopped by a guess. */
  public static final UnknownHolder DEFAULT =
      new UnknownHolder(Duration.ofMinutes(30), Then.CONTINUE);

  /** Policy that applies without a decision. */
  public enum Then {
    /** The members continue. */
    CONTINUE,
    /** All of them are stopped, including those that hold healthy devices. */
    STOP
  }

  /** Returns the time until which an operator may decide. */
  public Instant deadline(Quarantine quarantine) {
    return quarantine.since().plus(after);
  }

  /**
   * Returns whether the members are stopped now. An operator that holds the quarantine has decided.
   */
  public boolean stops(Quarantine quarantine, Instant now) {
    return then == Then.STOP && quarantine.owner() == null && !now.isBefore(deadline(quarantine));
  }
}
