package dev.fairlead.work.placement.web;

import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.placement.service.FailoverTests;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;

/** Predicts the loss of a cluster. */
@ApiController(ApiPaths.ROOT + "/clusters")
@Tag(name = "Clusters")
class FailoverTestController {
  private final FailoverTests tests;

  FailoverTestController(FailoverTests tests) {
    this.tests = tests;
  }

  @Operation(
      operationId = "getFailoverTest",
      summary = "Predict the loss of a cluster",
      description =
          "Plans as the scheduler would if the cluster were lost now and the end of all its"
              + " attempts were proven: which jobs would start elsewhere immediately, where and at"
              + " what price, which would evict others, which would wait and why, and the work"
              + " that they would lose. It runs one planning cycle and changes nothing. The 500"
              + " largest attempts are listed. The sums include all attempts.")
  @GetMapping("/{cluster}/failover-test")
  FailoverTestResponse failoverTest(Actor actor, @PathVariable String cluster) {
    return FailoverTestResponse.of(tests.of(actor, cluster));
  }
}
