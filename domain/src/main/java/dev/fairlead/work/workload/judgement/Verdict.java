package dev.fairlead.work.workload.judgement;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.event.Fact;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Effect of observations on an attempt.
 *
 * @param attempt the attempt to store
 * @param event event that changed its state, null if none
 * @param facts changes of its members
 * @param fewer whether members have left, so that their resources must be released
 * @param lookAgainAt when time alone may change the verdict, null for never
 */
public record Verdict(
    Attempt attempt,
    @Nullable AttemptEvent event,
    List<Fact> facts,
    boolean fewer,
    @Nullable Instant lookAgainAt) {
  /** Returns whether the verdict has changes to store. */
  public boolean changed() {
    return event != null || !facts.isEmpty();
  }
}
