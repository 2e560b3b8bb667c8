package dev.fairlead.work.workload.service.attempt;

import dev.fairlead.work.job.Transition;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Decides on the locked rows, null for no change. */
@FunctionalInterface
public interface AttemptDecision {
  /**
   * @param at the database's time
   */
  @Nullable Transition on(AttemptCase now, Instant at);
}
