package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import java.util.List;
import java.util.Set;

/** Which jobs of all tenants run on nodes. */
public interface NodeJobs {
  /** Most that are named. */
  int MOST = 100;

  /** Those that hold something on one of these nodes of the cluster. */
  Jobs on(ClusterId cluster, Set<NodeId> nodes);

  /**
   * @param count how many there are
   * @param first by id, the first {@link #MOST}
   */
  record Jobs(int count, List<NodeJob> first) {
    public Jobs {
      first = List.copyOf(first);
    }
  }

  /**
   * One of them.
   *
   * @param nodes on how many of the nodes it has members
   */
  record NodeJob(JobId id, String name, int nodes) {}
}
