package dev.fairlead.work.serving.cost;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.ModelServiceId;
import java.util.List;
import java.util.SortedSet;

/** GPUs that replicas of model services held. */
public interface ReplicaTimes {
  /**
   * Time of the replicas of a service. It ends at the time of the database.
   *
   * @param replicas jobs of its replicas that have not ended
   * @param begins of the spans, milliseconds since 1970 in ascending order, at least one
   * @param toMillis end of the last span
   */
  List<ReplicaTime> of(
      TenantId tenant,
      ModelServiceId service,
      SortedSet<JobId> replicas,
      List<Long> begins,
      long toMillis);
}
