package dev.fairlead.money.statement.web;

import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.money.statement.service.SavingsQueries;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Reports the savings from mixed capacity. */
@ApiController(ApiPaths.ROOT + "/reports")
@Tag(name = "Statements")
class SavingsController {
  private final SavingsQueries queries;
  private final InstantSource clock;

  SavingsController(SavingsQueries queries, InstantSource clock) {
    this.queries = queries;
    this.clock = clock;
  }

  @Operation(
      operationId = "reportSavings",
      summary = "Report savings from mixed capacity",
      description =
          "Compares the amount that the tenant paid with the cost of the same usage on on-demand"
              + " capacity only, and on reserved capacity only, including the waiting time. All"
              + " three amounts are for the same use, so their differences are meaningful. Requires"
              + " the role owner, member or viewer of the tenant.")
  @GetMapping("/savings")
  SavingsResponse savings(
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
    return SavingsResponse.of(
        queries.report(actor, span.begin(), span.end()), span.begin(), span.end());
  }
}
