package dev.fairlead.volume;

import dev.fairlead.identity.ClusterId;
import dev.fairlead.tenant.ProjectId;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A part of the time for which a volume has, or had, its claim on a cluster.
 *
 * @param name of the volume at the end of that time
 * @param storageClass null for the default of the cluster
 * @param from when its claim was there, or the begin of the part
 * @param to when its claim was lost or forgotten, or the end of the part
 */
public record VolumeStay(
    ProjectId project,
    String name,
    long sizeGib,
    @Nullable String storageClass,
    ClusterId cluster,
    Instant from,
    Instant to) {
  private static final int DIGITS = 6;
  private static final BigDecimal HOUR = BigDecimal.valueOf(3_600_000);

  /** By the size that was asked for, whatever is in it; half to even, to a millionth. */
  public BigDecimal gibHours() {
    return BigDecimal.valueOf(Duration.between(from, to).toMillis())
        .multiply(BigDecimal.valueOf(sizeGib))
        .divide(HOUR, DIGITS, RoundingMode.HALF_EVEN);
  }
}
