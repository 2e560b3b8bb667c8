package dev.fairlead.money.usage.web;

import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.money.usage.service.SpillQueries;
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

/** What was used beside reserved capacity. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT + "/reports",
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
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
      summary = "Report usage beyond reserved capacity",
      description =
          "Reports the usage of reserved GPUs, and the part of ON_DEMAND and SPOT usage that reserved capacity could have "
              + "served in the same hour, by cause. Causes add up to the usage. The comparison is by hour: a GPU that was free in "
              + "another part of the hour, or apart from others of a gang, counts as free. For owners, members and viewers of the "
              + "tenant.")
  @GetMapping("/spill")
  SpillResponse spill(
      Actor actor,
      @Parameter(
              description =
                  "From the begin of the hour of this time, or of so long ago; 31 days"
                      + " before to when absent.")
          @RequestParam(required = false)
          @Nullable String from,
      @Parameter(description = "Hours that begin before it; now when absent.")
          @RequestParam(required = false)
          @Nullable String to,
      @Parameter(description = "Of every tenant; for roles of the platform.")
          @RequestParam(defaultValue = "false")
          boolean everyTenant) {
    Parameters.Hours span = Parameters.hours(from, to, clock.instant());
    return SpillResponse.of(
        queries.report(actor, everyTenant, span.begin(), span.end()), span.begin(), span.end());
  }
}
