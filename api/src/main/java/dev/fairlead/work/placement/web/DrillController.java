package dev.fairlead.work.placement.web;

import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.placement.service.ClusterDrills;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** What the loss of a cluster would do. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT + "/clusters",
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Clusters")
class DrillController {
  private final ClusterDrills drills;

  DrillController(ClusterDrills drills) {
    this.drills = drills;
  }

  @Operation(
      operationId = "drillCluster",
      summary = "Simulate the loss of a cluster",
      description =
          "Runs one scheduler cycle as if the cluster had failed and all its processes were proven to have ended. Reports "
              + "jobs that would start immediately with place and price, jobs they would evict, jobs that would wait and why, and "
              + "lost work. Nothing is changed. Lists the 500 largest attempts; the sums cover all.")
  @GetMapping("/{cluster}/drill")
  DrillResponse drill(Actor actor, @PathVariable String cluster) {
    return DrillResponse.of(drills.of(actor, cluster));
  }
}
