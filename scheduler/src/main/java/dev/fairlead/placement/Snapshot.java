package dev.fairlead.placement;

import dev.fairlead.job.JobId;
import dev.fairlead.world.World;
import java.util.List;

/**
 * What one cycle decides on.
 *
 * @param world one consistent read
 * @param first jobs that the last cycle did not reach, in their order; they come first now
 * @param workBudget most node evaluations of the cycle, at least 1
 */
public record Snapshot(World world, List<JobId> first, long workBudget) {
  public Snapshot {
    first = List.copyOf(first);
  }
}
