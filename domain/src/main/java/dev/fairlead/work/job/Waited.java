package dev.fairlead.work.job;

import java.time.Duration;
import java.time.Instant;

/** For how long a job has waited. The time before its {@code notBefore} does not count. */
public final class Waited {
  private Waited() {}

  /**
   * The wait until its first start, and since its last return to its queue, which counts as now
   * while it is not queued. For an array, the count since its start. At least zero.
   */
  public static Duration inAll(Job job, Instant asOf) {
    JobStatus run = job.run();
    Instant begin = open(job, job.createdAt());
    Instant started = run.startedAt();
    if (started == null || job.array() != null) {
      return between(begin, asOf);
    }
    Duration first = between(begin, started);
    return run.state() == JobState.QUEUED ? first.plus(lately(job, asOf)) : first;
  }

  /** Time since its last change of state. At least zero. */
  public static Duration lately(Job job, Instant asOf) {
    return between(open(job, job.run().changedAt()), asOf);
  }

  /**
   * Time when the total wait reaches this duration if it continues, at the earliest {@code asOf}. A
   * wait counts only from its {@code notBefore}.
   */
  public static Instant reaches(Job job, Instant asOf, Duration wait) {
    Duration rest = wait.minus(inAll(job, asOf));
    return rest.isPositive() ? open(job, asOf).plus(rest) : asOf;
  }

  private static Instant open(Job job, Instant time) {
    Instant notBefore = job.spec().notBefore();
    return notBefore != null && notBefore.isAfter(time) ? notBefore : time;
  }

  private static Duration between(Instant from, Instant to) {
    return to.isAfter(from) ? Duration.between(from, to) : Duration.ZERO;
  }
}
