package dev.fairlead.work.job.web;

import dev.fairlead.money.efficiency.Efficiency;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What an attempt made of its GPUs, as the Prometheus of its cluster told it.
 *
 * @param utilisation mean of all samples, in percent, from 0 to 100
 * @param lastUtilisation of the last sample, in percent
 * @param memoryPeakMib most memory used on any one of its GPUs; null where that is not told
 * @param energyJoules used between samples that follow each other; null where that is not told
 * @param samples how many; about one a minute
 * @param since time of the first sample
 * @param sampledAt time of the last sample
 * @param idleSince since when all its members that hold GPUs are below 5 percent, or what its
 *     project says; null while one is not, or was not seen
 * @param warnedAt when its owner was warned of that; null while it is not idle
 * @param reclaimedAt when it was stopped for that; null while it was not
 * @param idleGpuHours GPU-hours that it held while it was idle before it was stopped for that
 * @param returnedGpuHours GPU-hours that it would have held from then on until its maxRuntime; null
 *     without one
 */
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
    return new EfficiencyResponse(
        rounded(efficiency.mean()),
        rounded(efficiency.last()),
        efficiency.memoryPeakMib(),
        joules == null ? null : (Long) Math.round(joules),
        efficiency.samples(),
        efficiency.since(),
        efficiency.sampledAt(),
        efficiency.idleSince(),
        efficiency.warnedAt(),
        back == null ? null : back.at(),
        back == null ? null : hours(back.idleGpuHours()),
        back == null ? null : hours(back.returnedGpuHours()));
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
