package dev.fairlead.placement.consolidation;

import java.time.Duration;

/**
 * What a move costs, and how many there may be.
 *
 * @param rest how long an attempt has run before it is moved, so that nobody is moved to and fro
 * @param restart time that a move costs besides the work since the last checkpoint
 * @param mostMoved jobs moved for one that waits, at least 1
 * @param mostTried jobs that wait for which moves are looked for in one cycle, 0 or more
 */
record ConsolidationPolicy(Duration rest, Duration restart, int mostMoved, int mostTried) {
  static final ConsolidationPolicy DEFAULT =
      new ConsolidationPolicy(Duration.ofMinutes(10), Duration.ofMinutes(2), 16, 8);
}
