package dev.fairlead.work.serving.cost;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.serving.ModelServiceId;

/**
 * Use of GPUs of one kind by replicas of a service.
 *
 * @param span index among the requested begins
 * @param pool name of the pool of the nodes, empty if none
 * @param milliMillis thousandths of a GPU times milliseconds
 */
public record ReplicaTime(
    ModelServiceId service,
    int span,
    ClusterId cluster,
    String pool,
    Flavor flavor,
    long milliMillis) {}
