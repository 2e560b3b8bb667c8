package dev.fairlead.data.volume;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.ProjectId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A part of the time for which a volume has, or had, its claim on a cluster.
 *
 * @param name name of the volume at the end of that time
 * @param storageClass null for the default of the cluster
 * @param from time when its claim was created, or the start of the part
 * @param to time when its claim was lost or forgotten, or the end of the part
 */
@RecordBuilder
public record VolumeStay(
    VolumeId volume,
    ProjectId project,
    String name,
    long sizeGib,
    @Nullable String storageClass,
    ClusterId cluster,
    Instant from,
    Instant to) {
  /** Minimum retention of an ended stay, the same as for statements (36 months). */
  public static final Duration KEPT_FOR = Duration.ofDays(37 * 31);

  private static final int DIGITS = 6;
  private static final BigDecimal HOUR = BigDecimal.valueOf(3_600_000);

  /** Counts the requested size, regardless of its content. Half to even, to a millionth. */
  public BigDecimal gibHours() {
    return gibHours(gibMillis(from, to));
  }

  /** GiB-milliseconds of a part of the stay. Parts that follow each other add up to the whole. */
  public BigInteger gibMillis(Instant begin, Instant end) {
    return BigInteger.valueOf(end.toEpochMilli() - begin.toEpochMilli())
        .multiply(BigInteger.valueOf(sizeGib));
  }

  /** GiB-hours of GiB times milliseconds. Half to even, to a millionth. */
  public static BigDecimal gibHours(BigInteger gibMillis) {
    return new BigDecimal(gibMillis).divide(HOUR, DIGITS, RoundingMode.HALF_EVEN);
  }
}
