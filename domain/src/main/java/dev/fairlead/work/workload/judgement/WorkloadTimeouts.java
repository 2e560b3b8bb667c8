package dev.fairlead.work.workload.judgement;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * Time limits of an attempt.
 *
 * @param gangStart from the launch, just before the first create, until all members run, pulls not
 *     counted
 * @param imagePull from the launch while a member pulls
 * @param imageError how long a reported pull error may last before the attempt fails
 * @param settle how long to wait for the other members' results before a gang's failure is judged:
 *     a kubelet checks once a second and reports the whole second of an end up to two seconds late
 * @param keepFailed how long the pods of a failed attempt stay, so that their output can be read
 * @param keepSucceeded the same for a succeeded one
 * @param checkpoint maximum time for an attempt to save its work before it is stopped
 */
@RecordBuilder
public record WorkloadTimeouts(
    Duration gangStart,
    Duration imagePull,
    Duration imageError,
    Duration settle,
    Duration keepFailed,
    Duration keepSucceeded,
    Duration checkpoint)
    implements WorkloadTimeoutsBuilder.With {
  public static final WorkloadTimeouts DEFAULT =
      new WorkloadTimeouts(
          Duration.ofMinutes(5),
          Duration.ofMinutes(30),
          Duration.ofSeconds(15),
          Duration.ofSeconds(5),
          Duration.ofMinutes(10),
          Duration.ofMinutes(2),
          Duration.ofHours(1));

  /**
   * Returns the timeouts with other retention times for pods of failed and of succeeded attempts.
   */
  public WorkloadTimeouts keeping(Duration failed, Duration succeeded) {
    return with().keepFailed(failed).keepSucceeded(succeeded).build();
  }

  /** Returns the timeouts with another maximum time to save work. */
  public WorkloadTimeouts saving(Duration longest) {
    return withCheckpoint(longest);
  }
}
