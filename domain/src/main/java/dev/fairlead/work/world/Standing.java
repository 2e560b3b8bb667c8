package dev.fairlead.work.world;

import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.spec.JobSpec.Dependency.Condition;
import org.jspecify.annotations.Nullable;

/** State of one dependency. */
public enum Standing {
  MET,
  UNMET,
  /** The condition can no longer be met. */
  DEAD;

  /**
   * Whether the condition holds.
   *
   * @param other life of the job or element that must meet it, null without a stored row
   */
  public static Standing of(@Nullable JobStatus other, Condition condition) {
    if (other == null) {
      return DEAD;
    }
    boolean met =
        switch (condition) {
          case SUCCEEDED -> other.state() == JobState.SUCCEEDED;
          case FAILED -> other.state() == JobState.FAILED;
          case ENDED -> other.ended();
          case STARTED -> other.startedAt() != null;
        };
    return met ? MET : other.ended() ? DEAD : UNMET;
  }
}
