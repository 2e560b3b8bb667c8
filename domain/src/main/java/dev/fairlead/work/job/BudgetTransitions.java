package dev.fairlead.work.job;

import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptLifecycle;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.Transition.AllocationChange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Transitions of a job whose budget is exhausted. Pure. */
public final class BudgetTransitions {
  private static final String ACTOR = OwnActor.BUDGETS.text();

  private BudgetTransitions() {}

  /**
   * Message for its owner.
   *
   * @param text a sentence with the numbers
   * @param figures figures of the budget, by name
   */
  public record Exhaustion(String text, SortedMap<String, Object> figures) {}

  /**
   * The attempt is stopped with the checkpoint time of its job, and its job waits in its queue. The
   * result is empty when it is being stopped already.
   *
   * @param element element of an array, null for a job that is not an array
   */
  public static Optional<List<Transition>> preempted(
      Job job, @Nullable JobElement element, Attempt attempt, Exhaustion exhaustion, Instant now) {
    AttemptEvent.Stop stop =
        JobTransitions.stop(attempt, StopCause.PREEMPTION, job.spec(), exhaustion.text(), now);
    return AttemptLifecycle.apply(attempt, stop, now)
        .map(moved -> {
          Transition told = told(job, attempt, exhaustion);
          List<Transition> chain = new ArrayList<>(List.of(told));
          chain.add(
              JobTransitions.observe(told.job(), element, moved, stop, List.of(), now, ACTOR));
          return chain;
        });
  }

  /**
   * Suspends the job as its owner would. The job waits until it is resumed. The result is empty if
   * its state does not accept the change.
   */
  public static Optional<List<Transition>> suspended(
      Job job, Attempt attempt, Exhaustion exhaustion, Instant now) {
    return OwnerTransitions.suspended(
        told(job, attempt, exhaustion), attempt, exhaustion.text(), now, ACTOR);
  }

  private static Transition told(Job job, Attempt attempt, Exhaustion exhaustion) {
    Fact fact = JobTransitions.attemptFact(EventTypes.BUDGET_SPENT, attempt);
    for (var figure : exhaustion.figures().entrySet()) {
      fact = fact.with(figure.getKey(), figure.getValue());
    }
    return Transition.of(
        job,
        attempt,
        AllocationChange.KEEP,
        List.of(fact.with("message", exhaustion.text())),
        ACTOR);
  }
}
