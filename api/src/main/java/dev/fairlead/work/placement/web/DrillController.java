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
      summary = "See what the loss of a cluster would do",
      description =
          "Plans as the scheduler would if the cluster were gone now and all that runs there were"
              + " proven to have ended: which jobs would start where at once and at what price,"
              + " which would evict others, which would wait and why, and what they would lose."
              + " It is one planning cycle, and nothing is changed. The 500 largest attempts are"
              + " listed; the sums are of all.")
  @GetMapping("/{cluster}/drill")
  DrillResponse drill(Actor actor, @PathVariable String cluster) {
    return DrillResponse.of(drills.of(actor, cluster));
  }
}
