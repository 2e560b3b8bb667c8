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
 * What an attempt made of its GPUs until now, folded sample by sample.
 *
 * @param samples how many were taken, from 1
 * @param mean of their utilisations, in percent, from 0 to 100
 * @param last utilisation, in percent
 * @param memoryPeakMib most memory used on any one of its GPUs; null while that is not known
 * @param joules used between samples that follow each other; null while no power is known
 * @param idleSince since when all its members that hold GPUs are below {@link #IDLE_BELOW}; null
 *     while one is not, or was not seen; below what its project says
 * @param since time of the first sample
 * @param sampledAt time of the last sample
 * @param warning what its owner was told while it is idle; null while it is not, or nothing was
 * @param reclaimed what its project got back when it was stopped for that; null while it was not
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
   * That its owner was warned that it is idle.
   *
   * @param reclaimAfter idle time after which its job is suspended, as was said; null where it was
   *     said to keep its GPUs
   */
  public record Warning(Instant at, @Nullable Duration reclaimAfter) {
    /** Whether it says that the job is suspended after so much idle time, or after less. */
    boolean foretells(Duration reclaim) {
      return reclaimAfter != null && reclaimAfter.compareTo(reclaim) <= 0;
    }
  }

  /**
   * That it was stopped since it was idle.
   *
   * @param idleGpuHours what it held while it was idle
   * @param returnedGpuHours what it would have held from then on until its {@code maxRuntime}; null
   *     for one without
   */
  public record Reclaimed(Instant at, double idleGpuHours, @Nullable Double returnedGpuHours) {}

  /** Percent of the time of its GPUs; a member below it is idle. */
  public static final double IDLE_BELOW = 5;

  /** Samples further apart say nothing about the time between them. */
  public static final Duration GAP = Duration.ofMinutes(5);

  /**
   * What is known with one more sample.
   *
   * @param uses of pods that it {@link SampledAttempt#has}; one at least
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

  /** When its owner was warned that it is idle; null while it is not, or was not warned of. */
  public @Nullable Instant warnedAt() {
    return warning == null ? null : warning.at();
  }

  /** The same, of which its owner was warned. */
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
