package dev.fairlead.work.placement;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.job.estimate.LearnedRuntimes;
import dev.fairlead.work.world.World;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The input of one cycle.
 *
 * @param world one consistent read
 * @param first jobs that the last cycle did not reach, in order. This cycle tries them first
 * @param postponed reservations that the last cycle did not reach, served first among their kind
 * @param workBudget maximum number of node evaluations in the cycle, at least 1
 * @param learned run times for foreseen starts, null for a cycle without them
 * @param reportedEnds ends of running attempts by their reported progress, only for estimated
 *     starts. Past ends are ignored
 */
public record Snapshot(
    World world,
    List<JobId> first,
    List<Reservation.Key> postponed,
    long workBudget,
    @Nullable LearnedRuntimes learned,
    SortedMap<AttemptId, Instant> reportedEnds) {
  /** Node evaluations of a cycle in the service, at most a few seconds on one core. */
  public static final long WORK_BUDGET = 20_000_000;

  public Snapshot {
    first = List.copyOf(first);
    postponed = List.copyOf(postponed);
    reportedEnds = Collections.unmodifiableSortedMap(new TreeMap<>(reportedEnds));
  }

  /** Creates a snapshot for a cycle in which no attempt has reported progress. */
  public Snapshot(
      World world,
      List<JobId> first,
      List<Reservation.Key> postponed,
      long workBudget,
      @Nullable LearnedRuntimes learned) {
    this(world, first, postponed, workBudget, learned, Collections.emptySortedMap());
  }

  /** Creates a snapshot for a cycle after all reservations were reached. */
  public Snapshot(World world, List<JobId> first, long workBudget) {
    this(world, first, List.of(), workBudget, null);
  }
}
