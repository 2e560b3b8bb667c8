package dev.fairlead.work.workload.web;

import dev.fairlead.work.workload.service.ClusterRemoval;

/**
 * Objects that were removed with a cluster.
 *
 * @param nodes number of its nodes that were not retired
 * @param gpus number of GPUs on these nodes
 * @param frontJobs number of adopted Jobs of the cluster: each retains the finalizer
 *     fairlead.dev/job until it is removed by hand
 * @param modelServices number of services of ModelServices of the cluster: each service continues,
 *     and each ModelService retains the finalizer
 */
record RemovedClusterResponse(
    String id, String name, int nodes, int gpus, int frontJobs, int modelServices) {
  static RemovedClusterResponse of(ClusterRemoval.Extent gone) {
    return new RemovedClusterResponse(
        gone.cluster().id().text(),
        gone.cluster().name(),
        gone.size().nodes(),
        gone.size().gpus(),
        gone.frontJobs(),
        gone.modelServices());
  }
}
