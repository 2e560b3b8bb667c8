package dev.fairlead.work.workload.service.pass;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Retains ended attempts on their clusters until their output is collected, for a minute at most.
 */
public class OutputStatus {
  static final Duration LONGEST = Duration.ofSeconds(60);
  private final Set<Taken> taken = ConcurrentHashMap.newKeySet();
  private volatile boolean on;

  /**
   * The cluster is part of the key, because objects on one cluster prove nothing about an attempt
   * of another.
   */
  private record Taken(ClusterId cluster, AttemptId attempt) {}

  /** Starts the collection of output in this process. */
  public void open() {
    on = true;
  }

  /** Records whether all output of the attempt on the cluster is collected. */
  public void taken(ClusterId cluster, AttemptId attempt, boolean all) {
    Taken it = new Taken(cluster, attempt);
    if (all) {
      taken.add(it);
    } else {
      taken.remove(it);
    }
  }

  /** Returns whether the ended attempt must remain for its output. */
  boolean awaited(Attempt attempt, Instant now) {
    Instant ended = attempt.endedAt();
    return on
        && ended != null
        && !taken.contains(new Taken(attempt.cluster(), attempt.id()))
        && now.isBefore(ended.plus(LONGEST))
        && !ended.isAfter(now.plus(LONGEST)); // stored before the database's clock was set back
  }
}
