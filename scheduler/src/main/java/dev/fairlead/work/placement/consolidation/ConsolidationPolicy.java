package dev.fairlead.work.placement.consolidation;

import java.time.Duration;

/**
 * Defines the cost of a move and the maximum number of moves.
 *
 * @param rest how long an attempt must have run before it is moved, so that a job does not move
 *     back and forth
 * @param restart cost of a move in addition to the work since the last checkpoint
 * @param mostMoved maximum number of jobs moved for one waiting job, at least 1
 * @param mostTried maximum number of waiting jobs that one cycle searches moves for, 0 or more
 */
record ConsolidationPolicy(Duration rest, Duration restart, int mostMoved, int mostTried) {
  static final ConsolidationPolicy DEFAULT =
      new ConsolidationPolicy(Duration.ofMinutes(10), Duration.ofMinutes(2), 16, 8);
}
