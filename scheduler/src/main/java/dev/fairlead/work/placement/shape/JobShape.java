package dev.fairlead.work.placement.shape;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Waited;
import java.time.Duration;
import java.time.Instant;
import java.util.SortedMap;
import java.util.SortedSet;

/** Inputs of decisions about a job. Jobs of one shape share decision and explanation. */
public record JobShape(QuotaNodeId queue, int priority, GangShape gang) {
  /**
   * @param closed names of clusters with a window that is too short for the job now, and of
   *     clusters that refuse it
   * @param booked nodes that advance reservations close to the job
   * @param tiers tiers of its queue that are open to the job now
   * @param neighbours terms of the world that concern the job
   */
  public static JobShape of(
      Job job,
      Instant asOf,
      SortedSet<String> closed,
      BookedNodes booked,
      Tiers tiers,
      Neighbours neighbours) {
    Duration waited = Waited.inAll(job, asOf);
    GangShape gang = GangShape.of(job, waited, closed, tiers).booked(booked).among(neighbours);
    return new JobShape(job.queue(), job.priority(), gang);
  }

  /** Returns the shape for jobs that avoid these nodes after failures, until the given times. */
  public JobShape avoiding(SortedMap<NodeId, Instant> backsOff) {
    return backsOff.isEmpty() ? this : new JobShape(queue, priority, gang.avoiding(backsOff));
  }
}
