package dev.fairlead.work.workload.service.pass;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps ended attempts on their clusters until their output was taken, for a minute at most. */
public class OutputStatus {
  static final Duration LONGEST = Duration.ofSeconds(60);
  private final Set<Taken> taken = ConcurrentHashMap.newKeySet();
  private volatile boolean on;

  /** What a cluster shows of an attempt of another one is no word about it. */
  private record Taken(ClusterId cluster, AttemptId attempt) {}

  /** From now on output is taken in this process. */
  public void open() {
    on = true;
  }

  /** Whether all output of the attempt that there is on the cluster was taken. */
  public void taken(ClusterId cluster, AttemptId attempt, boolean all) {
    Taken it = new Taken(cluster, attempt);
    if (all) {
      taken.add(it);
    } else {
      taken.remove(it);
    }
  }

  /** Whether the ended attempt has to stay for its output. */
  boolean awaited(Attempt attempt, Instant now) {
    Instant ended = attempt.endedAt();
    return on
        && ended != null
        && !taken.contains(new Taken(attempt.cluster(), attempt.id()))
        && now.isBefore(ended.plus(LONGEST))
        && !ended.isAfter(now.plus(LONGEST)); // stored before the database's clock was set back
  }
}
