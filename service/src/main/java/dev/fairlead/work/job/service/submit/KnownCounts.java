package dev.fairlead.work.job.service.submit;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The last count of each project or tenant, so that a submit far below a limit does not count
 * thousands of active jobs again. A count is valid for a {@value #SHARE}th of the remaining room
 * that it found, and for at most {@value #FEW} jobs, or a {@value #SHARE}th of the counted jobs if
 * that is more. A process can exceed a limit by this amount if other processes have filled it
 * since. Far below the limit, a submit counts at most {@value #SHARE} other jobs. Jobs that end
 * since the count only reduce it.
 *
 * <p>Thread-safe.
 */
final class KnownCounts<K> {
  static final int SHARE = 100;
  static final int FEW = 256;
  private static final int MOST_KNOWN = 1_000;

  private final Map<K, Count> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<K, Count> eldest) {
          return size() > MOST_KNOWN;
        }
      };

  private record Count(long counted, int added) {}

  /**
   * Returns the number of active jobs without {@code more}, and adds {@code more} to the stored
   * count.
   *
   * @param limit limit of jobs. A lowered limit applies immediately
   * @param count counts the active jobs, up to one beyond the limit
   */
  long with(K owner, int more, long limit, LongSupplier count) {
    Count last = taken(owner, more, limit);
    if (last != null) {
      return last.counted() + last.added();
    }
    long now = count.getAsLong();
    synchronized (known) {
      if (now + more <= limit) {
        known.put(owner, new Count(now, more));
      } else {
        known.remove(owner); // the count may have stopped at the limit, which can be raised
      }
    }
    return now;
  }

  private @Nullable Count taken(K owner, int more, long limit) {
    synchronized (known) {
      Count last = known.get(owner);
      if (last == null) {
        return null;
      }
      long room = limit - last.counted();
      long most = Math.max(FEW, last.counted() / SHARE);
      if (last.added() + more > Math.min(most, room / SHARE)) {
        return null;
      }
      known.put(owner, new Count(last.counted(), last.added() + more));
      return last;
    }
  }
}
