package dev.fairlead.workload.web;

import dev.fairlead.cluster.service.ClusterView;

/**
 * What went with a cluster.
 *
 * @param nodes its nodes that were not retired
 * @param gpus GPUs on them
 */
record RemovedClusterResponse(String id, String name, int nodes, int gpus) {
  static RemovedClusterResponse of(ClusterView view) {
    return new RemovedClusterResponse(
        view.cluster().id().text(), view.cluster().name(), view.nodes(), view.gpus());
  }
}
