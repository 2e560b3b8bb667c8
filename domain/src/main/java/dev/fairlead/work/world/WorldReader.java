package dev.fairlead.work.world;

import dev.fairlead.work.job.Job;
import java.util.List;

public interface WorldReader {
  /** All rows of one moment. */
  default World read() {
    return readWith(List.of());
  }

  /** The view as if these new jobs were stored too. */
  World readWith(List<Job> imagined);

  /**
   * Returns whether a job may wait for a placement. If none does, {@link #read} has no pending job.
   */
  default boolean anyWaits() {
    return !read().pending().isEmpty();
  }

  /** Number of stale rows in earlier views because a change wrote no note. */
  default long lostNotes() {
    return 0;
  }
}
