package dev.fairlead.work.world;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.money.price.Quote;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.job.Job;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reaction of the scheduler if a cluster failed now and its attempts were proven to have ended. The
 * test is one planning cycle. Later cycles may start more jobs.
 *
 * @param losses one for each lost attempt, most GPUs first, without attempts already ordered to end
 * @param evicted jobs on other clusters that would be evicted only because of the failover
 * @param delayed jobs, and elements of arrays, that would start now and would not then
 */
public record FailoverTest(
    Instant asOf, Cluster cluster, List<LostAttempt> losses, Evicted evicted, int delayed) {
  public FailoverTest {
    losses = List.copyOf(losses);
  }

  /** Number of attempts and their milli-GPUs. */
  public record Evicted(int jobs, long gpuMilli) {}

  /**
   * An attempt that would be lost.
   *
   * @param queue its name
   * @param unsaved run time since its last known checkpoint, or since its start
   * @param quote current cost of its GPUs, per hour
   */
  public record LostAttempt(
      Job job, Attempt attempt, String queue, Duration unsaved, Quote quote, Outcome outcome) {
    public long gpuMilli() {
      return attempt.members().stream().mapToLong(member -> member.request().gpuMilli()).sum();
    }
  }

  /** Predicted state of the job, or of the element of the array. */
  public sealed interface Outcome {
    /**
     * The job would restart immediately.
     *
     * @param to name of a cluster
     */
    record Moves(String to, @Nullable String pool, Quote quote) implements Outcome {}

    /** Other jobs would be evicted. The job would get the capacity that they release. */
    record Evicts(String to, int attempts) implements Outcome {}

    record Waits(Explanation why) implements Outcome {}

    /** The work of one cycle did not reach it. */
    record NotPlanned() implements Outcome {}
  }
}
