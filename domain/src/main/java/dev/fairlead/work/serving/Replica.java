package dev.fairlead.work.serving;

import dev.fairlead.kernel.identity.JobId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One replica of a version. Its job is replaced by another job when it ends.
 *
 * @param ordinal number within the version, from 0
 * @param restarts jobs that ended before this one
 * @param job null before it is submitted
 * @param notBefore earliest submit, or null for now
 * @param stopping whether it is removed when its job has ended
 * @param refused why its job was refused, empty when it was not
 */
public record Replica(
    int version,
    int ordinal,
    int restarts,
    @Nullable JobId job,
    @Nullable Instant notBefore,
    boolean stopping,
    String refused) {
  private static final Duration SHORTEST_WAIT = Duration.ofSeconds(2);
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(5);
  private static final int MOST_DOUBLINGS = 8;

  static Replica wanted(int version, int ordinal) {
    return new Replica(version, ordinal, 0, null, null, false, "");
  }

  /** Name of its job, unique among the active jobs of the project. */
  public String jobName(String service) {
    return service + "-v" + version + "-" + ordinal;
  }

  /** Key of its submit: the same job, however often it is submitted. */
  public String key(ModelServiceId service) {
    return "service/" + service.text() + "/" + version + "/" + ordinal + "/" + restarts;
  }

  public Replica submitted(JobId as) {
    return new Replica(version, ordinal, restarts, as, null, stopping, "");
  }

  /** After a refusal it is submitted again after a while. */
  public Replica refused(String why, Instant now) {
    return new Replica(
        version, ordinal, restarts, null, now.plus(LONGEST_WAIT.dividedBy(10)), stopping, why);
  }

  Replica stopped() {
    return new Replica(version, ordinal, restarts, job, notBefore, true, refused);
  }

  /** After the end of its job: another one follows, later after each end up to five minutes. */
  Replica restarted(Instant now) {
    Duration wait = SHORTEST_WAIT.multipliedBy(1L << Math.min(restarts, MOST_DOUBLINGS));
    return new Replica(
        version,
        ordinal,
        restarts + 1,
        null,
        now.plus(wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait),
        stopping,
        "");
  }

  /**
   * A replica as it is seen.
   *
   * @param reason why it is not ready, empty when it is
   */
  public record Seen(Replica replica, Condition condition, String reason) {
    boolean counts(int version) {
      return replica.version() == version && !replica.stopping();
    }

    boolean ready(int version) {
      return counts(version) && condition == Condition.READY;
    }
  }

  /** How far a replica has come. */
  public enum Condition {
    /** Its job is not submitted, waits or starts, or the gateway does not see it ready. */
    WAITING,
    /** It takes requests. */
    READY,
    /** Its job has ended. */
    ENDED
  }
}
