package dev.fairlead.money.usage.web;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.usage.SpillCause;
import dev.fairlead.money.usage.SpillReport;
import dev.fairlead.money.usage.UsageBucket;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Usage of reserved capacity and of capacity that is billed by the hour. GPU-hours are rounded to a
 * millionth. The milliGpuMillis are exact: thousandths of a GPU times milliseconds.
 *
 * @param from start of the first hour, in UTC
 * @param to end of the last hour, exclusive
 * @param preliminary whether an hour may still change
 * @param reserved time of reserved GPUs
 * @param spill usage of other capacity, by tenant, model and capacity type
 */
record SpillResponse(
    Instant from, Instant to, boolean preliminary, List<Reserved> reserved, List<Spilled> spill) {
  /**
   * Usage of reserved GPUs of one model.
   *
   * @param tenant tenant with exclusive use of the GPUs, null for GPUs of all tenants
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
   * A tenant's usage of capacity that is billed by the hour. The causes add up to the use.
   *
   * @param servableGpuHours upper bound of the GPU-hours that free reserved capacity could have
   *     served in the same hour
   */
  @RecordBuilder
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
      return SpillResponseSpilledBuilder.builder()
          .tenant(found.tenant())
          .model(found.model())
          .capacity(found.capacity())
          .gpuHours(GpuHours.of(found.used()))
          .milliGpuMillis(found.used())
          .servableGpuHours(GpuHours.of(found.servable()))
          .servableMilliGpuMillis(found.servable())
          .causes(causes(found.causes()))
          .build();
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
   * Usage with one cause.
   *
   * @param servable whether reserved capacity was free for the use
   */
  record CauseTime(SpillCause cause, boolean servable, BigDecimal gpuHours, long milliGpuMillis) {}

  static SpillResponse of(SpillReport report, Instant from, Instant to) {
    return new SpillResponse(
        from,
        to,
        to.isAfter(report.finalUntil()),
        report.reserved().stream().map(Reserved::of).toList(),
        report.spill().stream().map(Spilled::of).toList());
  }
}
