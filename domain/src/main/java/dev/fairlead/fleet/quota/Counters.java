package dev.fairlead.fleet.quota;

import java.util.Collection;
import java.util.List;
import java.util.UUID;

/**
 * Counters of what live attempts hold, beside the rows they count. The counters decide and are
 * changed in the transaction of the allocation, so they agree unless somebody wrote past the job
 * store.
 */
public interface Counters {
  /** What disagrees in one view of everything; empty when all is well. */
  List<Drift> compare();

  /**
   * Counts what disagreed anew, under the locks of those who write it; what agrees by then is left
   * as it is. Returns what was written.
   */
  List<Drift> repair(Collection<Drift> found);

  /** What is counted. */
  enum Kind {
    QUOTA,
    NODE,
    GPU,
    LICENCE
  }

  /**
   * A counter that is not what its rows say.
   *
   * @param subject id of the quota node, of the node, or of the attempt that holds a licence
   * @param counter which of its counters, for example {@code gpu} or {@code gpu 3}
   * @param counted what it says
   * @param held what the rows say
   */
  record Drift(Kind kind, UUID subject, String counter, long counted, long held) {}
}
