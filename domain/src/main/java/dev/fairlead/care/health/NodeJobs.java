package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import java.util.List;
import java.util.Set;

/** Finds the jobs of all tenants that run on nodes. */
public interface NodeJobs {
  /** Maximum number of named jobs. */
  int MOST = 100;

  /** Returns the jobs with allocations on these nodes of the cluster. */
  Jobs on(ClusterId cluster, Set<NodeId> nodes);

  /**
   * @param count total number
   * @param first the first {@link #MOST}, by id
   */
  record Jobs(int count, List<NodeJob> first) {
    public Jobs {
      first = List.copyOf(first);
    }
  }

  /**
   * One job.
   *
   * @param nodes number of the given nodes that run its members
   */
  record NodeJob(JobId id, String name, int nodes) {}
}
