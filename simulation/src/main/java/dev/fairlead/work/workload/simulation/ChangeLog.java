package dev.fairlead.work.workload.simulation;

import dev.fairlead.work.attempt.AttemptId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Attempts that changed since a revision: one entry for each attempt, in order of its last change.
 * Old entries are dropped together with their revisions.
 */
final class ChangeLog {
  private static final int REVISIONS_PER_MILLI = 1000;

  private final LinkedHashMap<AttemptId, Long> lastChange = new LinkedHashMap<>();
  private final int capacity;
  private long revision;
  private long forgotten;

  /**
   * @param start is part of the first revision, so that revisions of an earlier process are unknown
   *     here
   * @param capacity most attempts in the log
   */
  ChangeLog(Instant start, int capacity) {
    this.capacity = capacity;
    revision = Math.max(1, start.toEpochMilli() * REVISIONS_PER_MILLI);
    forgotten = revision;
  }

  long revision() {
    return revision;
  }

  void touch(AttemptId attempt) {
    lastChange.remove(attempt);
    lastChange.put(attempt, ++revision);
    if (lastChange.size() > capacity) {
      forgotten = lastChange.pollFirstEntry().getValue();
    }
  }

  /** Attempts that changed after the revision, null for an unknown revision. */
  @Nullable List<AttemptId> since(long known) {
    if (known < forgotten || known > revision) {
      return null;
    }
    List<AttemptId> changed = new ArrayList<>();
    for (Map.Entry<AttemptId, Long> entry : lastChange.sequencedEntrySet().reversed()) {
      if (entry.getValue() <= known) {
        break;
      }
      changed.add(entry.getKey());
    }
    return changed;
  }
}
