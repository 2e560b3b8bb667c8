package dev.fairlead.money.usage.web;

import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.money.usage.service.SpillQueries;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Reports the use of on-demand and spot capacity in addition to reserved capacity. */
@ApiController(ApiPaths.ROOT + "/reports")
@Tag(name = "Usage")
class SpillController {
  private final SpillQueries queries;
  private final InstantSource clock;

  SpillController(SpillQueries queries, InstantSource clock) {
    this.queries = queries;
    this.clock = clock;
  }

  @Operation(
      operationId = "reportSpill",
      summary = "Report usage of on-demand and spot capacity",
      description =
          "Reports the use of reserved GPUs, and the tenant's use of ON_DEMAND and SPOT"
              + " capacity by cause. The cause shows whether reserved capacity was free in the same"
              + " hour. The causes add up to the use. The comparison is by hour: a GPU that was"
              + " free in another part of the hour, or too far from the rest of a gang, counts as"
              + " free. Requires the role owner, member or viewer of the tenant.")
  @GetMapping("/spill")
  SpillResponse spill(
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
          @Nullable String to,
      @Parameter(description = "Whether to report all tenants. Requires a platform role.")
          @RequestParam(defaultValue = "false")
          boolean everyTenant) {
    Parameters.Hours span = Parameters.hours(from, to, clock.instant());
    return SpillResponse.of(
        queries.report(actor, everyTenant, span.begin(), span.end()), span.begin(), span.end());
  }
}
