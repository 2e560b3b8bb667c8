package dev.fairlead.work.job.web.view;

import dev.fairlead.money.efficiency.Efficiency;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * GPU utilization of an attempt, from the Prometheus of its cluster.
 *
 * @param utilisation mean of all samples, in percent, from 0 to 100
 * @param lastUtilisation utilisation of the last sample, in percent
 * @param memoryPeakMib highest peak memory among its GPUs in MiB, null if unknown
 * @param energyJoules energy between consecutive samples in joules, null if unknown
 * @param samples number of samples, about one a minute
 * @param since time of the first sample
 * @param sampledAt time of the last sample
 * @param idleSince start of the time during which all members with GPUs are below 5 percent
 *     utilisation, or the threshold of the project. Null if a member is not, or was not sampled
 * @param warnedAt time of the warning to the owner, null if the attempt is not idle
 * @param reclaimedAt time when the attempt was stopped because it was idle, null otherwise
 * @param idleGpuHours GPU-hours that the attempt held while idle, until it was stopped
 * @param returnedGpuHours GPU-hours that it would have held after the stop until its maxRuntime,
 *     null if it has none
 */
@RecordBuilder
record EfficiencyResponse(
    double utilisation,
    double lastUtilisation,
    @Nullable Long memoryPeakMib,
    @Nullable Long energyJoules,
    long samples,
    Instant since,
    Instant sampledAt,
    @Nullable Instant idleSince,
    @Nullable Instant warnedAt,
    @Nullable Instant reclaimedAt,
    @Nullable BigDecimal idleGpuHours,
    @Nullable BigDecimal returnedGpuHours) {
  private static final double TENTHS = 10;
  private static final int HOUR_DIGITS = 4;

  static EfficiencyResponse of(Efficiency efficiency) {
    Double joules = efficiency.joules();
    Efficiency.Reclaimed back = efficiency.reclaimed();
    return EfficiencyResponseBuilder.builder()
        .utilisation(rounded(efficiency.mean()))
        .lastUtilisation(rounded(efficiency.last()))
        .memoryPeakMib(efficiency.memoryPeakMib())
        .energyJoules(joules == null ? null : (Long) Math.round(joules))
        .samples(efficiency.samples())
        .since(efficiency.since())
        .sampledAt(efficiency.sampledAt())
        .idleSince(efficiency.idleSince())
        .warnedAt(efficiency.warnedAt())
        .reclaimedAt(back == null ? null : back.at())
        .idleGpuHours(back == null ? null : hours(back.idleGpuHours()))
        .returnedGpuHours(back == null ? null : hours(back.returnedGpuHours()))
        .build();
  }

  private static @Nullable BigDecimal hours(@Nullable Double hours) {
    return hours == null
        ? null
        : BigDecimal.valueOf(hours).setScale(HOUR_DIGITS, RoundingMode.HALF_UP);
  }

  private static double rounded(double percent) {
    return Math.round(percent * TENTHS) / TENTHS;
  }
}
