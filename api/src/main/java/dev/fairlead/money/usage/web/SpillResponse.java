package dev.fairlead.money.usage.web;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.usage.SpillCause;
import dev.fairlead.money.usage.SpillReport;
import dev.fairlead.money.usage.UsageBucket;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reserved capacity, and the use of capacity that is paid by the hour beside it. GPU-hours are
 * rounded to a millionth, milliGpuMillis are exact: thousandths of a GPU times milliseconds.
 *
 * @param from begin of the first hour, in UTC
 * @param to begin of the first hour that is left out
 * @param knownFrom hours before it were added up without capacity types: their use has the cause
 *     UNKNOWN, and their reserved capacity is left out; null when there is no later hour
 * @param preliminary whether an hour may still change
 * @param reserved time of reserved GPUs
 * @param spill use of other capacity, by tenant, model and capacity type
 */
record SpillResponse(
    Instant from,
    Instant to,
    @Nullable Instant knownFrom,
    boolean preliminary,
    List<Reserved> reserved,
    List<Spilled> spill) {
  /**
   * What reserved GPUs of one model were.
   *
   * @param tenant the tenant that alone may use them, null for those of all
   */
  record Reserved(@Nullable String tenant, String model, List<BucketTime> buckets) {
    private static Reserved of(SpillReport.Reserved found) {
      return new Reserved(
          found.tenant(),
          found.model(),
          Arrays.stream(UsageBucket.values())
              .map(bucket -> BucketTime.of(bucket, found.buckets().getOrDefault(bucket, 0L)))
              .toList());
    }
  }

  /** Time in one bucket. */
  record BucketTime(UsageBucket bucket, BigDecimal gpuHours, long milliGpuMillis) {
    private static BucketTime of(UsageBucket bucket, long amount) {
      return new BucketTime(bucket, GpuHours.of(amount), amount);
    }
  }

  /**
   * What a tenant used of capacity that is paid by the hour. The causes add up to it.
   *
   * @param servableGpuHours what reserved capacity that was free in the same hour could have served
   *     at most
   */
  record Spilled(
      String tenant,
      String model,
      CapacityType capacity,
      BigDecimal gpuHours,
      long milliGpuMillis,
      BigDecimal servableGpuHours,
      long servableMilliGpuMillis,
      List<CauseTime> causes) {
    private static Spilled of(SpillReport.Spilled found) {
      return new Spilled(
          found.tenant(),
          found.model(),
          found.capacity(),
          GpuHours.of(found.used()),
          found.used(),
          GpuHours.of(found.servable()),
          found.servable(),
          causes(found.causes()));
    }

    private static List<CauseTime> causes(Map<SpillCause, Long> causes) {
      return Arrays.stream(SpillCause.values())
          .filter(causes::containsKey)
          .map(cause ->
              new CauseTime(
                  cause,
                  cause.servable(),
                  GpuHours.of(causes.getOrDefault(cause, 0L)),
                  causes.getOrDefault(cause, 0L)))
          .toList();
    }
  }

  /**
   * Use with one cause.
   *
   * @param servable whether reserved capacity was free for it
   */
  record CauseTime(SpillCause cause, boolean servable, BigDecimal gpuHours, long milliGpuMillis) {}

  static SpillResponse of(SpillReport report, Instant from, Instant to) {
    return new SpillResponse(
        from,
        to,
        report.knownFrom(),
        to.isAfter(report.finalUntil()),
        report.reserved().stream().map(Reserved::of).toList(),
        report.spill().stream().map(Spilled::of).toList());
  }
}
