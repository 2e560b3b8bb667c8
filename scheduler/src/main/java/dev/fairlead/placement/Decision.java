package dev.fairlead.placement;

import dev.fairlead.cluster.ClusterId;
import dev.fairlead.job.JobId;
import dev.fairlead.job.Member;
import java.util.List;

/** What is decided for one job, or for one element of an array. */
public sealed interface Decision {
  JobId job();

  /** Version of the job that the decision rests on. */
  long jobVersion();

  /**
   * Start it.
   *
   * @param element index in the array, 0 for a job that is none
   * @param members every member with its node and GPUs, by role order of the spec, then index
   */
  record Place(JobId job, long jobVersion, int element, ClusterId cluster, List<Member> members)
      implements Decision {
    public Place {
      members = List.copyOf(members);
    }
  }

  /**
   * It waits.
   *
   * @param classKey key of its explanation: equal jobs share one
   */
  record Hold(JobId job, long jobVersion, String classKey) implements Decision {}
}
