package dev.fairlead.money.statement.web;

import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.money.statement.service.CommitmentQueries;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What commitments cost, and how much of them was used. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT + "/reports",
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Prices")
class CommitmentController {
  private final CommitmentQueries queries;
  private final InstantSource clock;

  CommitmentController(CommitmentQueries queries, InstantSource clock) {
    this.queries = queries;
    this.clock = clock;
  }

  @Operation(
      operationId = "reportCommitments",
      summary = "Report what commitments cost, and how much of them was used",
      description =
          "For each price with a commitment: its cost over time, the usage of all tenants by hour, and the paid but unused "
              + "part. usedCost and unusedCost add up to the cost. For platform roles.")
  @GetMapping("/commitments")
  CommitmentsResponse commitments(
      Actor actor,
      @Parameter(
              description =
                  "From the begin of the hour of this time, or of so long ago; 31 days"
                      + " before to when absent.")
          @RequestParam(required = false)
          @Nullable String from,
      @Parameter(description = "Hours that begin before it; now when absent.")
          @RequestParam(required = false)
          @Nullable String to) {
    Parameters.Hours span = Parameters.hours(from, to, clock.instant());
    return CommitmentsResponse.of(
        queries.report(actor, span.begin(), span.end()), span.begin(), span.end());
  }
}
