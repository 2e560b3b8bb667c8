package dev.fairlead.workload.web;

import dev.fairlead.workload.service.ClusterRemoval;

/**
 * What went with a cluster.
 *
 * @param nodes its nodes that were not retired
 * @param gpus GPUs on them
 */
record RemovedClusterResponse(String id, String name, int nodes, int gpus) {
  static RemovedClusterResponse of(ClusterRemoval.Extent gone) {
    return new RemovedClusterResponse(
        gone.cluster().id().text(), gone.cluster().name(), gone.nodes(), gone.gpus());
  }
}
