package dev.fairlead.money.efficiency;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * GPU efficiency of an attempt until now, updated with each sample.
 *
 * @param samples how many were taken, from 1
 * @param mean of their utilisations, in percent, from 0 to 100
 * @param last utilisation, in percent
 * @param memoryPeakMib peak memory of any one of its GPUs; null while unknown
 * @param joules used between samples that follow each other; null while no power is known
 * @param idleSince since when all its members with GPUs are below {@link #IDLE_BELOW}, or below its
 *     project's threshold; null while one is not, or was not sampled
 * @param since time of the first sample
 * @param sampledAt time of the last sample
 * @param warning warning sent to its owner while it is idle; null without one
 * @param reclaimed GPU-hours recovered when it was suspended for idleness; null otherwise
 */
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
    @Nullable Reclaimed reclaimed) {
  /**
   * Warning to its owner that it is idle.
   *
   * @param reclaimAfter announced idle time after which its job is suspended; null if it may retain
   *     its GPUs
   */
  public record Warning(Instant at, @Nullable Duration reclaimAfter) {
    /** Whether it says that the job is suspended after so much idle time, or after less. */
    boolean foretells(Duration reclaim) {
      return reclaimAfter != null && reclaimAfter.compareTo(reclaim) <= 0;
    }
  }

  /**
   * Suspension for idleness.
   *
   * @param idleGpuHours GPU-hours held while it was idle
   * @param returnedGpuHours GPU-hours that it would have held from then until its {@code
   *     maxRuntime}; null without one
   */
  public record Reclaimed(Instant at, double idleGpuHours, @Nullable Double returnedGpuHours) {}

  /** Percent of the time of its GPUs; a member below it is idle. */
  public static final double IDLE_BELOW = 5;

  /** Samples further apart say nothing about the time between them. */
  public static final Duration GAP = Duration.ofMinutes(5);

  /**
   * The efficiency with one more sample.
   *
   * @param uses samples of pods that it {@link SampledAttempt#has}; at least one
   * @param now not before the last sample, unless the clock was set back
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
    return new Efficiency(
        attempt.attempt(),
        attempt.job(),
        attempt.tenant(),
        samples,
        mean,
        last,
        peak(before, own.values()),
        joules(
            before, own.values(), joined == null ? null : Duration.between(joined.sampledAt, now)),
        idle ? Objects.requireNonNullElse(idleBefore, now) : null,
        before == null ? now : before.since,
        now,
        idle && attempt.policy() != null && joined != null && joined.idleSince != null
            ? joined.warning
            : null,
        before == null ? null : before.reclaimed);
  }

  /** When its owner was warned that it is idle; null if it is not idle, or without a warning. */
  public @Nullable Instant warnedAt() {
    return warning == null ? null : warning.at();
  }

  /** The same with a warning to its owner. */
  public Efficiency warned(Warning now) {
    return with(now, null);
  }

  /** The same, stopped for being idle. */
  public Efficiency reclaimed(Reclaimed now) {
    return with(warning, now);
  }

  private Efficiency with(@Nullable Warning warned, @Nullable Reclaimed back) {
    return new Efficiency(
        attempt,
        job,
        tenant,
        samples,
        mean,
        last,
        memoryPeakMib,
        joules,
        idleSince,
        since,
        sampledAt,
        warned,
        back);
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
   * @param elapsed since the sample before; null when that is not known or too long ago
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
