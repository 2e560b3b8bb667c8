package dev.fairlead.money.statement.web;

import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.money.statement.service.CommitmentQueries;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Reports the cost and use of commitments. */
@ApiController(ApiPaths.ROOT + "/reports")
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
      summary = "Report the cost and use of commitments",
      description =
          "Reports for each price with a commitment its cost over time, its use by"
              + " all tenants hour by hour, and the paid but unused part. usedCost and unusedCost"
              + " add up to the cost. Requires a platform role.")
  @GetMapping("/commitments")
  CommitmentsResponse commitments(
      Actor actor,
      @Parameter(
              description =
                  "Start, as a time or a duration before now, rounded down to the hour."
                      + " Default: 31 days before `to`.")
          @RequestParam(required = false)
          @Nullable String from,
      @Parameter(
              description =
                  "End, exclusive. Hours that begin before it are included. Default: now.")
          @RequestParam(required = false)
          @Nullable String to) {
    Parameters.Hours span = Parameters.hours(from, to, clock.instant());
    return CommitmentsResponse.of(
        queries.report(actor, span.begin(), span.end()), span.begin(), span.end());
  }
}
