package dev.fairlead.work.serving.cost;

import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.ModelServiceId;
import java.util.List;
import java.util.Set;

/** Use of GPUs by replicas of model services, as in statements. */
public interface ReplicaTimes {
  /**
   * Use by the replicas of services, in one query. Use of the open hour is up to a minute old.
   *
   * @param begins of the spans, milliseconds since 1970 in ascending order, at least one. Each is
   *     the start of an hour
   * @param toMillis end of the last span
   */
  List<ReplicaTime> of(
      TenantId tenant, Set<ModelServiceId> services, List<Long> begins, long toMillis);
}
