package dev.fairlead.data.volume.web;

import dev.fairlead.data.volume.service.VolumeHours;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** How much storage volumes held, and for how long. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT + "/reports",
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Volumes")
class VolumeHoursController {
  private final VolumeHours hours;
  private final InstantSource clock;

  VolumeHoursController(VolumeHours hours, InstantSource clock) {
    this.hours = hours;
    this.clock = clock;
  }

  /**
   * Storage that volumes of the tenant held.
   *
   * @param from begin of the first hour, in UTC
   * @param to begin of the first hour that is left out
   * @param gibHours sum of all lines
   * @param lines by the names of the volumes
   */
  record VolumeHoursResponse(
      Instant from, Instant to, BigDecimal gibHours, List<VolumeHoursLine> lines) {}

  /**
   * A volume for as long as it had its claim in that time.
   *
   * @param project its name, or its id when it is gone
   * @param volume its name at the end of that time
   * @param cluster its name, or its id when it is gone
   * @param storageClass that was asked for; missing for the default of the cluster
   * @param sizeGib that was asked for, whatever is in it
   * @param from when its claim was there, or the begin of the report
   * @param to when its claim was lost or forgotten, or the end of the report, or now
   */
  record VolumeHoursLine(
      String project,
      String volume,
      String cluster,
      @Nullable String storageClass,
      long sizeGib,
      Instant from,
      Instant to,
      BigDecimal gibHours) {
    static VolumeHoursLine of(VolumeHours.Line line) {
      return new VolumeHoursLine(
          line.project(),
          line.stay().name(),
          line.cluster(),
          line.stay().storageClass(),
          line.stay().sizeGib(),
          line.stay().from(),
          line.stay().to(),
          line.stay().gibHours());
    }
  }

  @Operation(
      operationId = "reportVolumeHours",
      summary = "Report GiB-hours of volumes",
      description =
          "Reports how long volumes of the tenant had claims on clusters, by requested size. A deleted volume counts until "
              + "it is forgotten, because its claim still exists. Hours before this version are only known for volumes that exist "
              + "now.")
  @GetMapping("/volume-hours")
  VolumeHoursResponse report(
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
    List<VolumeHoursLine> lines =
        hours.report(actor, span.begin(), span.end()).stream().map(VolumeHoursLine::of).toList();
    BigDecimal all =
        lines.stream().map(VolumeHoursLine::gibHours).reduce(BigDecimal.ZERO, BigDecimal::add);
    return new VolumeHoursResponse(span.begin(), span.end(), all, lines);
  }
}
