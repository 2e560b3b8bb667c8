package dev.fairlead.work.workload.web;

import dev.fairlead.work.workload.service.ClusterRemoval;

/**
 * What went with a cluster.
 *
 * @param nodes its nodes that were not retired
 * @param gpus GPUs on them
 * @param frontJobs its own Jobs that were taken up: they keep the finalizer fairlead.dev/job until
 *     it is taken off by hand
 */
record RemovedClusterResponse(String id, String name, int nodes, int gpus, int frontJobs) {
  static RemovedClusterResponse of(ClusterRemoval.Extent gone) {
    return new RemovedClusterResponse(
        gone.cluster().id().text(),
        gone.cluster().name(),
        gone.size().nodes(),
        gone.size().gpus(),
        gone.frontJobs());
  }
}
