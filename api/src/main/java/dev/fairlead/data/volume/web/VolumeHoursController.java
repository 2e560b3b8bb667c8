package dev.fairlead.data.volume.web;

import dev.fairlead.data.volume.service.VolumeHours;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.people.tenant.Actor;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Reports the storage that volumes held over time. */
@ApiController(ApiPaths.ROOT + "/reports")
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
   * @param from start of the first hour, in UTC
   * @param to end of the last hour, exclusive
   * @param gibHours sum of all lines
   * @param lines volumes by name
   */
  record VolumeHoursResponse(
      Instant from, Instant to, BigDecimal gibHours, List<VolumeHoursLine> lines) {}

  /**
   * A volume and the time of its claim.
   *
   * @param project name of the project, or its id after its deletion
   * @param volume name of the volume at the end of that time
   * @param cluster name of the cluster, or its id after its removal
   * @param storageClass requested storage class, absent for the default of the cluster
   * @param sizeGib requested size in GiB, regardless of its content
   * @param from creation of the claim, or start of the report
   * @param to loss or removal of the claim, end of the report, or now
   */
  @RecordBuilder
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
      return VolumeHoursControllerVolumeHoursLineBuilder.builder()
          .project(line.project())
          .volume(line.stay().name())
          .cluster(line.cluster())
          .storageClass(line.stay().storageClass())
          .sizeGib(line.stay().sizeGib())
          .from(line.stay().from())
          .to(line.stay().to())
          .gibHours(line.stay().gibHours())
          .build();
    }
  }

  @Operation(
      operationId = "reportVolumeHours",
      summary = "Report GiB-hours of volumes",
      description =
          "Reports how long volumes of the tenant had claims on clusters, by requested size. A"
              + " deleted volume counts until it is forgotten, because its claim still exists.")
  @GetMapping("/volume-hours")
  VolumeHoursResponse report(
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
    List<VolumeHoursLine> lines =
        hours.report(actor, span.begin(), span.end()).stream().map(VolumeHoursLine::of).toList();
    BigDecimal all =
        lines.stream().map(VolumeHoursLine::gibHours).reduce(BigDecimal.ZERO, BigDecimal::add);
    return new VolumeHoursResponse(span.begin(), span.end(), all, lines);
  }
}
