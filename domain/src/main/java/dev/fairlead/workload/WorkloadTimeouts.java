package dev.fairlead.workload;

import java.time.Duration;

/**
 * How long an attempt may take.
 *
 * @param gangStart from LAUNCHING until all members run, pulls not counted
 * @param imagePull from LAUNCHING while a member pulls
 * @param imageError how long a reported pull error may last before the attempt fails
 * @param settle how long to wait for the other members' results before a gang's failure is judged:
 *     a kubelet looks once a second and tells the whole second of an end up to two seconds late
 * @param keepFailed how long the pods of a failed attempt stay, so that their output can be read
 */
public record WorkloadTimeouts(
    Duration gangStart,
    Duration imagePull,
    Duration imageError,
    Duration settle,
    Duration keepFailed) {
  public static final WorkloadTimeouts DEFAULT =
      new WorkloadTimeouts(
          Duration.ofMinutes(5),
          Duration.ofMinutes(30),
          Duration.ofSeconds(15),
          Duration.ofSeconds(5),
          Duration.ofMinutes(10));

  /** The same with another time for the pods of failed attempts. */
  public WorkloadTimeouts keepingFailed(Duration time) {
    return new WorkloadTimeouts(gangStart, imagePull, imageError, settle, time);
  }
}
