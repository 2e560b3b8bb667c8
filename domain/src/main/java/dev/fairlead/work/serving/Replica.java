package dev.fairlead.work.serving;

import dev.fairlead.kernel.identity.JobId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * One replica of a version. Its job is replaced by another job when it ends.
 *
 * @param ordinal number within the version, from 0
 * @param since revision of the service that added it. A later replica of that number has other keys
 * @param restarts jobs that ended before this one, without those before the last long run
 * @param job null before it is submitted
 * @param notBefore earliest submit, or null for now
 * @param stopping whether it is removed when its job has ended
 * @param refused why its job was refused, empty when it was not
 * @param surplus whether it was added above the floor. Its jobs may be preempted
 */
@RecordBuilder
public record Replica(
    int version,
    int ordinal,
    long since,
    int restarts,
    @Nullable JobId job,
    @Nullable Instant notBefore,
    boolean stopping,
    String refused,
    boolean surplus)
    implements ReplicaBuilder.With {
  /** A job that ran for this long ended for a different reason than the jobs before it. */
  public static final Duration LONG_RUN = Duration.ofMinutes(10);

  private static final Duration SHORTEST_WAIT = Duration.ofSeconds(2);
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(5);
  private static final int MOST_DOUBLINGS = 8;

  static Replica wanted(int version, int ordinal, long since, boolean surplus) {
    return ReplicaBuilder.builder()
        .version(version)
        .ordinal(ordinal)
        .since(since)
        .restarts(0)
        .job(null)
        .notBefore(null)
        .stopping(false)
        .refused("")
        .surplus(surplus)
        .build();
  }

  /** Name of its job, unique among the active jobs of the project. */
  public String jobName(String service) {
    return service + "-v" + version + "-" + ordinal;
  }

  /** Idempotency key of its submit, so that repeated submits create one job. */
  public String key(ModelServiceId service) {
    return "service/%s/%d/%d/%d/%d".formatted(service.text(), version, ordinal, since, restarts);
  }

  public Replica submitted(JobId as) {
    return with().job(as).notBefore(null).refused("").build();
  }

  /** After a refusal it is submitted again after a while. */
  public Replica refused(String why, Instant now) {
    return with().job(null).notBefore(now.plus(LONGEST_WAIT.dividedBy(10))).refused(why).build();
  }

  Replica stopped() {
    return withStopping(true);
  }

  /** Returns whether the replica's job may have been submitted although its id is not stored. */
  public boolean due(Instant now) {
    return job == null && (notBefore == null || !now.isBefore(notBefore));
  }

  /**
   * After the end of its job: another one follows, later after each end up to five minutes. A long
   * run resets the waits.
   *
   * @param revision revision of the service
   */
  Replica restarted(Instant now, boolean longRun, long revision) {
    int before = longRun ? 0 : restarts;
    Duration wait = SHORTEST_WAIT.multipliedBy(1L << Math.min(before, MOST_DOUBLINGS));
    return with()
        .since(longRun ? revision : since)
        .restarts(before + 1)
        .job(null)
        .notBefore(now.plus(wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait))
        .refused("")
        .build();
  }

  /**
   * A replica and its observed condition.
   *
   * @param reason cause while it is not ready, otherwise empty
   * @param longRun whether its job ended after {@link #LONG_RUN}
   * @param queuedSince time from which its job counts in the queue, or null when it is not queued
   * @param leaving whether its node or cluster is drained or unreachable, so that another replica
   *     replaces it
   * @param cluster name of its cluster, or null while it is not placed and while the cluster is
   *     silent
   */
  public record Seen(
      Replica replica,
      Condition condition,
      String reason,
      boolean longRun,
      @Nullable Instant queuedSince,
      boolean leaving,
      @Nullable String cluster) {
    public Seen(Replica replica, Condition condition, String reason) {
      this(replica, condition, reason, false, null, false, null);
    }

    /** Returns the replica on a node or cluster that is drained or unreachable. */
    public Seen left(Condition now, String why) {
      return new Seen(replica, now, why, longRun, queuedSince, true, cluster);
    }

    /** Returns the replica on this cluster. Null means a silent cluster. */
    public Seen at(@Nullable String name) {
      return new Seen(replica, condition, reason, longRun, queuedSince, leaving, name);
    }

    /** Returns whether the queue serves this replica before the other, if both wait. */
    boolean before(Seen other) {
      return queuedSince != null
          && other.queuedSince != null
          && !queuedSince.isAfter(other.queuedSince);
    }

    /**
     * Returns whether the replica's job is in the queue, or is about to be submitted for the first
     * time.
     */
    boolean queued() {
      return queuedSince != null || replica.job() == null && replica.notBefore() == null;
    }

    boolean counts(int version) {
      return replica.version() == version && !replica.stopping();
    }

    boolean ready(int version) {
      return counts(version) && condition == Condition.READY;
    }
  }

  /** Number of ready replicas. */
  public static int ready(Collection<Seen> seen) {
    return (int) seen.stream().filter(each -> each.condition() == Condition.READY).count();
  }

  /** State of a replica. */
  public enum Condition {
    /** Its job is not submitted, waits or starts, or the gateway does not see it ready. */
    WAITING,
    /** It takes requests. */
    READY,
    /** Its job has ended. */
    ENDED
  }
}
