package dev.fairlead.placement.shape;

import dev.fairlead.job.Job;
import dev.fairlead.job.JobState;
import dev.fairlead.job.Run;
import java.time.Duration;
import java.time.Instant;

/** For how long a job has waited. The time before its {@code notBefore} does not count. */
public final class Waited {
  private Waited() {}

  /**
   * Until it first ran, and since it last went back into its queue; of an array since the
   * beginning. At least zero.
   */
  public static Duration inAll(Job job, Instant asOf) {
    Run run = job.run();
    Instant begin = open(job, job.createdAt());
    Instant started = run.startedAt();
    if (started == null || job.array() != null || run.state() != JobState.QUEUED) {
      return between(begin, asOf);
    }
    return between(begin, started).plus(lately(job, asOf));
  }

  /** Since its state last changed. At least zero. */
  public static Duration lately(Job job, Instant asOf) {
    return between(open(job, job.run().changedAt()), asOf);
  }

  private static Instant open(Job job, Instant time) {
    Instant notBefore = job.spec().notBefore();
    return notBefore != null && notBefore.isAfter(time) ? notBefore : time;
  }

  private static Duration between(Instant from, Instant to) {
    return to.isAfter(from) ? Duration.between(from, to) : Duration.ZERO;
  }
}
