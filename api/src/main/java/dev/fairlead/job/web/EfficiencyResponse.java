package dev.fairlead.job.web;

import dev.fairlead.efficiency.Efficiency;
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
 * @param idleSince since when all its members that hold GPUs are below 5 percent; null while one is
 *     not, or was not seen
 */
record EfficiencyResponse(
    double utilisation,
    double lastUtilisation,
    @Nullable Long memoryPeakMib,
    @Nullable Long energyJoules,
    long samples,
    Instant since,
    Instant sampledAt,
    @Nullable Instant idleSince) {
  private static final double TENTHS = 10;

  static EfficiencyResponse of(Efficiency efficiency) {
    Double joules = efficiency.joules();
    return new EfficiencyResponse(
        rounded(efficiency.mean()),
        rounded(efficiency.last()),
        efficiency.memoryPeakMib(),
        joules == null ? null : (Long) Math.round(joules),
        efficiency.samples(),
        efficiency.since(),
        efficiency.sampledAt(),
        efficiency.idleSince());
  }

  private static double rounded(double percent) {
    return Math.round(percent * TENTHS) / TENTHS;
  }
}
