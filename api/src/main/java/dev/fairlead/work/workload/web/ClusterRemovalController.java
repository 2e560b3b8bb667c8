package dev.fairlead.work.workload.web;

import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.workload.service.ClusterRemoval;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;

/** Removes clusters. */
@ApiController(ApiPaths.ROOT + "/clusters")
@Tag(name = "Clusters")
class ClusterRemovalController {
  private final ClusterRemoval removal;

  ClusterRemovalController(ClusterRemoval removal) {
    this.removal = removal;
  }

  @Operation(
      operationId = "deleteCluster",
      summary = "Remove a cluster",
      description =
          "Removes the cluster with its nodes, credentials and lease. The name can be used again."
              + " Jobs that ran there retain the names of the cluster and its nodes. Refused"
              + " with IN_USE and a list while anything is active there: the cluster is ACTIVE or"
              + " DEGRADED, or has attempts, jobs that name only this cluster, operations,"
              + " reservations, services of ModelServices, or open requests for nodes. With validateOnly=true nothing is"
              + " removed and the response is the same. On a DISABLED cluster ended attempts do"
              + " not count: remaining pods stay there.")
  @DeleteMapping("/{cluster}")
  RemovedClusterResponse delete(
      Actor actor,
      @PathVariable String cluster,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    ClusterRemoval.Extent extent = removal.extent(cluster);
    long expected = options.expected(() -> extent.cluster().version());
    removal.remove(actor, extent.cluster().id().text(), expected, options.validateOnly());
    return RemovedClusterResponse.of(extent);
  }
}
