package dev.fairlead.money.efficiency.web;

import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.money.efficiency.Efficiency;
import dev.fairlead.money.efficiency.IdleAttempt;
import dev.fairlead.money.efficiency.ReclaimedSum;
import dev.fairlead.money.efficiency.service.IdleReports;
import dev.fairlead.people.tenant.Actor;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;

/** Reports jobs that do not use their GPUs. */
@ApiController(ApiPaths.ROOT + "/reports")
@Tag(name = "Usage")
class IdleController {
  private static final int HOUR_DIGITS = 4;
  private static final int MILLI_DIGITS = 3;
  private static final double MILLIS_PER_HOUR = 3_600_000;
  private final IdleReports reports;

  IdleController(IdleReports reports) {
    this.reports = reports;
  }

  /**
   * Idle attempts, and GPU-hours that were reclaimed from idle jobs.
   *
   * @param attempts attempts with the longest idle time first, at most 500
   * @param reclaimed GPU-hours reclaimed within a year, null for a caller without access to the
   *     whole tenant
   */
  record IdleResponse(List<IdleAttemptResponse> attempts, @Nullable ReclaimedResponse reclaimed) {}

  /**
   * A running attempt that is idle.
   *
   * @param job id of the job
   * @param name name of the job
   * @param element index in the array, 0 for a job without an array
   * @param number number of the attempt
   * @param gpus number of GPUs that the attempt holds
   * @param idleGpuHours GPU-hours that the attempt held from idleSince until the last sample
   * @param warnedAt time of the warning to the owner, null before a warning
   */
  @RecordBuilder
  record IdleAttemptResponse(
      String job,
      String name,
      String project,
      String user,
      int element,
      int number,
      String cluster,
      BigDecimal gpus,
      Instant idleSince,
      BigDecimal idleGpuHours,
      Instant sampledAt,
      @Nullable Instant warnedAt) {
    static IdleAttemptResponse of(IdleAttempt idle, String cluster) {
      Efficiency row = idle.efficiency();
      Instant since = Objects.requireNonNullElse(row.idleSince(), row.sampledAt());
      BigDecimal gpus = BigDecimal.valueOf(idle.gpuMilli(), MILLI_DIGITS);
      double hours = Duration.between(since, row.sampledAt()).toMillis() / MILLIS_PER_HOUR;
      return IdleControllerIdleAttemptResponseBuilder.builder()
          .job(row.job().text())
          .name(idle.job())
          .project(idle.project())
          .user(idle.user())
          .element(idle.element())
          .number(idle.number())
          .cluster(cluster)
          .gpus(gpus)
          .idleSince(since)
          .idleGpuHours(rounded(gpus.doubleValue() * hours))
          .sampledAt(row.sampledAt())
          .warnedAt(row.warnedAt())
          .build();
    }
  }

  /**
   * GPU-hours that were reclaimed by suspending idle jobs.
   *
   * @param attempts number of stopped attempts
   * @param idleGpuHours GPU-hours that they held while idle
   * @param returnedGpuHours GPU-hours that they would have held until their maxRuntime. Attempts
   *     without a maxRuntime are not counted
   */
  record ReclaimedResponse(long attempts, BigDecimal idleGpuHours, BigDecimal returnedGpuHours) {
    static ReclaimedResponse of(ReclaimedSum sum) {
      return new ReclaimedResponse(
          sum.attempts(), rounded(sum.idleGpuHours()), rounded(sum.returnedGpuHours()));
    }
  }

  @Operation(
      operationId = "reportIdle",
      summary = "List jobs that do not use their GPUs",
      description =
          "Lists running attempts in projects that the caller can see, if each member with"
              + " GPUs is below the idle threshold: 5 percent utilisation, or the threshold of the"
              + " project. Utilisation comes from the Prometheus of the cluster.")
  @GetMapping("/idle")
  IdleResponse idle(Actor actor) {
    IdleReports.IdleReport report = reports.report(actor);
    ReclaimedSum sum = report.reclaimed();
    return new IdleResponse(
        report.attempts().stream()
            .map(idle ->
                IdleAttemptResponse.of(
                    idle, report.clusters().getOrDefault(idle.cluster(), idle.cluster().text())))
            .toList(),
        sum == null ? null : ReclaimedResponse.of(sum));
  }

  private static BigDecimal rounded(double hours) {
    return BigDecimal.valueOf(hours).setScale(HOUR_DIGITS, RoundingMode.HALF_UP);
  }
}
