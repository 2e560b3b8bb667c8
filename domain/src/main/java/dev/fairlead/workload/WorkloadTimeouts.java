package dev.fairlead.workload;

import java.time.Duration;

/**
 * How long an attempt may take.
 *
 * @param gangStart from LAUNCHING until all members run, pulls not counted
 * @param imagePull from LAUNCHING while a member pulls
 * @param imageError how long a reported pull error may last before the attempt fails
 * @param settle how long to wait for the other members' results before a gang's failure is judged
 */
public record WorkloadTimeouts(
    Duration gangStart, Duration imagePull, Duration imageError, Duration settle) {
  public static final WorkloadTimeouts DEFAULT =
      new WorkloadTimeouts(
          Duration.ofMinutes(5),
          Duration.ofMinutes(30),
          Duration.ofSeconds(15),
          Duration.ofSeconds(2));
}
