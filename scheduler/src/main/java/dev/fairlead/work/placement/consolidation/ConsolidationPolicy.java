package dev.fairlead.work.placement.consolidation;

import java.time.Duration;

/**
 * What a move costs, and how many there may be.
 *
 * @param rest how long an attempt has run before it is moved, so that a job does not move to and
 *     fro
 * @param restart time that a move costs besides the work since the last checkpoint
 * @param mostMoved jobs moved for one waiting job, at least 1
 * @param mostTried waiting jobs for which one cycle searches for moves, 0 or more
 */
record ConsolidationPolicy(Duration rest, Duration restart, int mostMoved, int mostTried) {
  static final ConsolidationPolicy DEFAULT =
      new ConsolidationPolicy(Duration.ofMinutes(10), Duration.ofMinutes(2), 16, 8);
}
