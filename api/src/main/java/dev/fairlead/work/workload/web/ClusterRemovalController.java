package dev.fairlead.work.workload.web;

import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.workload.service.ClusterRemoval;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Removes clusters. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT + "/clusters",
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
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
          "Fairlead forgets the cluster: its nodes, its credentials and its lease go, and the name"
              + " is free again. Jobs that ran there keep its name and those of its nodes. Refused"
              + " with IN_USE and a list while anything lives there: it is ACTIVE or DEGRADED,"
              + " attempts, jobs that name it alone, operations, reserved places, open requests"
              + " for nodes. With validateOnly=true nothing is removed and the answer is the same."
              + " On a DISABLED cluster ended attempts do not count: what is left of their pods"
              + " stays there.")
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
