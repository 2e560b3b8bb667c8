package dev.fairlead.placement.shape;

import dev.fairlead.cluster.NodeId;
import dev.fairlead.job.Job;
import dev.fairlead.quota.QuotaNodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.SortedMap;

/**
 * Everything that a decision about a job rests on: jobs of one shape share decision and
 * explanation.
 */
public record JobShape(QuotaNodeId queue, int priority, boolean preemptible, GangShape gang) {
  /**
   * @param backsOff nodes that failed it and that it avoids, with the time until which it does
   */
  public static JobShape of(Job job, Instant asOf, SortedMap<NodeId, Instant> backsOff) {
    Duration waited = Duration.between(job.createdAt(), asOf);
    GangShape gang = GangShape.of(job.spec(), waited);
    return new JobShape(
        job.queue(),
        job.priority(),
        job.spec().preemption().allowed(),
        backsOff.isEmpty() ? gang : gang.avoiding(backsOff));
  }
}
