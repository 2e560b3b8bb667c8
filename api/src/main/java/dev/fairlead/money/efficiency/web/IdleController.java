package dev.fairlead.money.efficiency.web;

import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.money.efficiency.Efficiency;
import dev.fairlead.money.efficiency.IdleAttempt;
import dev.fairlead.money.efficiency.ReclaimedSum;
import dev.fairlead.money.efficiency.service.IdleReports;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Jobs that do not use the GPUs that they hold. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT + "/reports",
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
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
   * What is idle now.
   *
   * @param attempts those idle longest first, at most 500
   * @param reclaimed what was got back within a year; null for a caller who does not see the whole
   *     tenant
   */
  record IdleResponse(List<IdleAttemptResponse> attempts, @Nullable ReclaimedResponse reclaimed) {}

  /**
   * A running attempt that is idle.
   *
   * @param job id of its job
   * @param name of its job
   * @param element index in the array, 0 for a job that is not an array
   * @param number of the attempt
   * @param gpus that it holds
   * @param idleGpuHours what it held from idleSince until its last sample
   * @param warnedAt when its owner was warned; null while that is not due
   */
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
      return new IdleAttemptResponse(
          row.job().text(),
          idle.job(),
          idle.project(),
          idle.user(),
          idle.element(),
          idle.number(),
          cluster,
          gpus,
          since,
          rounded(gpus.doubleValue() * hours),
          row.sampledAt(),
          row.warnedAt());
    }
  }

  /**
   * What was got back from jobs that were suspended since they were idle.
   *
   * @param attempts how many were stopped
   * @param idleGpuHours what they held while they were idle
   * @param returnedGpuHours what they would have held until their maxRuntime, of those that have
   *     one
   */
  record ReclaimedResponse(long attempts, BigDecimal idleGpuHours, BigDecimal returnedGpuHours) {
    static ReclaimedResponse of(ReclaimedSum sum) {
      return new ReclaimedResponse(
          sum.attempts(), rounded(sum.idleGpuHours()), rounded(sum.returnedGpuHours()));
    }
  }

  @Operation(
      operationId = "reportIdle",
      summary = "Report jobs that do not use their GPUs",
      description =
          "Lists running attempts of the caller's projects in which every member with GPUs is below 5 percent utilization, "
              + "or the project's threshold, according to the Prometheus of their cluster.")
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
