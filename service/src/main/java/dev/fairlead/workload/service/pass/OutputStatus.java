package dev.fairlead.workload.service.pass;

import dev.fairlead.attempt.Attempt;
import dev.fairlead.attempt.AttemptId;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps ended attempts on their clusters until their output was taken, for a minute at most. */
public class OutputStatus {
  static final Duration LONGEST = Duration.ofSeconds(60);
  private final Set<AttemptId> taken = ConcurrentHashMap.newKeySet();
  private volatile boolean on;

  /** From now on output is taken in this process. */
  public void open() {
    on = true;
  }

  /** Whether all output of the attempt that there is was taken. */
  public void taken(AttemptId attempt, boolean all) {
    if (all) {
      taken.add(attempt);
    } else {
      taken.remove(attempt);
    }
  }

  /** Whether the ended attempt has to stay for its output. */
  boolean awaited(Attempt attempt, Instant now) {
    Instant ended = attempt.endedAt();
    return on
        && ended != null
        && !taken.contains(attempt.id())
        && now.isBefore(ended.plus(LONGEST))
        && !ended.isAfter(now.plus(LONGEST)); // stored before the database's clock was set back
  }
}
