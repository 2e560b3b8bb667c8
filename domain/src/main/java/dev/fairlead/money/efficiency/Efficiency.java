package dev.fairlead.money.efficiency;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * GPU use of an attempt until now, summed sample by sample.
 *
 * @param samples number of samples, from 1
 * @param mean mean utilisation in percent, from 0 to 100
 * @param last utilisation of the last sample in percent
 * @param memoryPeakMib highest peak memory among its GPUs in MiB, null if unknown
 * @param joules energy between consecutive samples in joules, null without known power
 * @param idleSince start of the time during which all members with GPUs are below {@link
 *     #IDLE_BELOW}, or below the threshold of the project. Null if a member is not, or was not
 *     sampled
 * @param since time of the first sample
 * @param sampledAt time of the last sample
 * @param warning warning to the owner of an idle attempt, null if none
 * @param reclaimed GPU-hours reclaimed by stopping the idle attempt, null otherwise
 */
@RecordBuilder
public record Efficiency(
    AttemptId attempt,
    JobId job,
    TenantId tenant,
    long samples,
    double mean,
    double last,
    @Nullable Long memoryPeakMib,
    @Nullable Double joules,
    @Nullable Instant idleSince,
    Instant since,
    Instant sampledAt,
    @Nullable Warning warning,
    @Nullable Reclaimed reclaimed)
    implements EfficiencyBuilder.With {
  /**
   * A warning to the owner that the attempt is idle.
   *
   * @param reclaimAfter announced idle time before the job is suspended, null if the warning
   *     announced no suspension
   */
  public record Warning(Instant at, @Nullable Duration reclaimAfter) {
    /** Returns whether the warning announced a suspension after this idle time, or after less. */
    boolean foretells(Duration reclaim) {
      return reclaimAfter != null && reclaimAfter.compareTo(reclaim) <= 0;
    }
  }

  /**
   * An idle attempt that Fairlead stopped.
   *
   * @param idleGpuHours GPU-hours that the attempt held while it was idle
   * @param returnedGpuHours GPU-hours that it would have held until its {@code maxRuntime}, null if
   *     it has none
   */
  public record Reclaimed(Instant at, double idleGpuHours, @Nullable Double returnedGpuHours) {}

  /** Utilisation in percent below which a member is idle. */
  public static final double IDLE_BELOW = 5;

  /** Samples further apart reveal nothing about the time between them. */
  public static final Duration GAP = Duration.ofMinutes(5);

  /**
   * Returns the efficiency with another sample.
   *
   * @param uses use of pods that it {@link SampledAttempt#has}, at least one
   * @param now time of the sample, not before the previous sample unless the clock was set back
   */
  public static Efficiency after(SampledAttempt attempt, Collection<PodUse> uses, Instant now) {
    SortedMap<String, PodUse> own = new TreeMap<>();
    uses.forEach(use -> own.put(use.pod(), use));
    Efficiency before = attempt.before();
    Efficiency joined = before != null && before.joins(now) ? before : null;
    double last = own.values().stream().mapToDouble(PodUse::utilisation).average().orElseThrow();
    long samples = before == null ? 1 : before.samples + 1;
    double mean = before == null ? last : before.mean + (last - before.mean) / samples;
    boolean idle =
        own.keySet().containsAll(attempt.pods())
            && own.values().stream().allMatch(use -> use.utilisation() < attempt.idleBelow());
    Instant idleBefore = joined == null ? null : joined.idleSince;
    return EfficiencyBuilder.builder()
        .attempt(attempt.attempt())
        .job(attempt.job())
        .tenant(attempt.tenant())
        .samples(samples)
        .mean(mean)
        .last(last)
        .memoryPeakMib(peak(before, own.values()))
        .joules(
            joules(
                before,
                own.values(),
                joined == null ? null : Duration.between(joined.sampledAt, now)))
        .idleSince(idle ? Objects.requireNonNullElse(idleBefore, now) : null)
        .since(before == null ? now : before.since)
        .sampledAt(now)
        .warning(
            idle && attempt.policy() != null && joined != null && joined.idleSince != null
                ? joined.warning
                : null)
        .reclaimed(before == null ? null : before.reclaimed)
        .build();
  }

  /** Time of the warning to the owner, null if none. */
  public @Nullable Instant warnedAt() {
    return warning == null ? null : warning.at();
  }

  /** Returns the efficiency with a warning to the owner. */
  public Efficiency warned(Warning now) {
    return with(now, null);
  }

  /** Returns the efficiency of an attempt that was stopped because it was idle. */
  public Efficiency reclaimed(Reclaimed now) {
    return with(warning, now);
  }

  private Efficiency with(@Nullable Warning warned, @Nullable Reclaimed back) {
    return with().warning(warned).reclaimed(back).build();
  }

  private boolean joins(Instant now) {
    return !now.isBefore(sampledAt) && !now.isAfter(sampledAt.plus(GAP));
  }

  private static @Nullable Long peak(@Nullable Efficiency before, Collection<PodUse> uses) {
    Long peak = before == null ? null : before.memoryPeakMib;
    for (PodUse use : uses) {
      Long memory = use.memoryMib();
      if (memory != null && (peak == null || memory > peak)) {
        peak = memory;
      }
    }
    return peak;
  }

  /**
   * @param elapsed time since the previous sample, null if unknown or too long
   */
  private static @Nullable Double joules(
      @Nullable Efficiency before, Collection<PodUse> uses, @Nullable Duration elapsed) {
    Double sum = before == null ? null : before.joules;
    double seconds = elapsed == null ? 0 : elapsed.toMillis() / 1000.0;
    for (PodUse use : uses) {
      Double watts = use.watts();
      if (watts != null) {
        sum = (sum == null ? 0 : sum) + watts * seconds;
      }
    }
    return sum;
  }
}
