package dev.fairlead.work.workload.kubernetes.call;

import java.time.Duration;
import org.hibernate.validator.constraints.Range;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits of the gate in front of each cluster.
 *
 * @param concurrent maximum number of concurrent calls. The limit adapts to the cluster, see {@link
 *     CallSlots}
 * @param writesPerSecond average over a tenth of a second or less
 * @param patience how long a call waits for its turn
 * @param window number of calls in which failures are counted
 * @param failedPercent percentage of failed calls that holds back all calls
 * @param open how long calls are held back
 */
public record CallLimits(
    @DefaultValue("32")
        @Range(min = 1, max = 1_000, message = "must be from 1 to 1000 (default 32)")
        int concurrent,
    @DefaultValue("200")
        @Range(min = 10, max = 10_000, message = "must be from 10 to 10000 (default 200)")
        int writesPerSecond,
    @DefaultValue("2s")
        @DurationMin(message = PATIENCE)
        @DurationMax(minutes = 1, message = PATIENCE)
        Duration patience,
    @DefaultValue("20")
        @Range(min = 5, max = 1_000, message = "must be from 5 to 1000 (default 20)")
        int window,
    @DefaultValue("50") @Range(min = 1, max = 100, message = "must be from 1 to 100 (default 50)")
        int failedPercent,
    @DefaultValue("10s")
        @DurationMin(seconds = 1, message = OPEN)
        @DurationMax(minutes = 10, message = OPEN)
        Duration open) {
  private static final String PATIENCE = "must be from 0s to 1m (default 2s)";
  private static final String OPEN = "must be from 1s to 10m (default 10s)";

  public static final CallLimits DEFAULT =
      new CallLimits(32, 200, Duration.ofSeconds(2), 20, 50, Duration.ofSeconds(10));
}
