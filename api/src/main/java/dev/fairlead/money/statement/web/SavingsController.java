package dev.fairlead.money.statement.web;

import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.money.statement.service.SavingsQueries;
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

/** What the mix of capacity saved. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT + "/reports",
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
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
      summary = "Report savings from the capacity mix",
      description =
          "Compares the tenant's cost with the cost of the same usage on on-demand capacity only, and on reserved capacity "
              + "only with its projected waits. All three figures cover the same usage, so they can be subtracted. For owners, "
              + "members and viewers of the tenant.")
  @GetMapping("/savings")
  SavingsResponse savings(
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
    return SavingsResponse.of(
        queries.report(actor, span.begin(), span.end()), span.begin(), span.end());
  }
}
