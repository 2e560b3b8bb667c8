package dev.fairlead.job.postgres;

import dev.fairlead.job.Attempt;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.Job;
import dev.fairlead.job.Member;
import dev.fairlead.job.Transition;
import dev.fairlead.job.Transition.Holding;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;

/**
 * Which members' allocations a transition moves: those it brings when it takes, those that are
 * stored when it gives back.
 */
final class Holdings {
  private Holdings() {}

  static List<Member> members(Transition transition, SortedMap<AttemptId, Attempt> ended) {
    Attempt attempt = transition.attempt();
    return switch (transition.holding()) {
      case TAKE -> Objects.requireNonNull(attempt).members();
      case KEEP -> List.of();
      case RELEASE ->
          Objects.requireNonNull(ended.get(Objects.requireNonNull(attempt).id())).members();
    };
  }

  static List<Member> members(List<Transition> transitions, SortedMap<AttemptId, Attempt> ended) {
    return transitions.stream().flatMap(t -> members(t, ended).stream()).toList();
  }

  /** Whom to name when a statement refuses a whole set. */
  static Job firstTaker(List<Transition> transitions) {
    return transitions.stream()
        .filter(t -> t.holding() == Holding.TAKE)
        .map(Transition::job)
        .findFirst()
        .orElseGet(() -> transitions.getFirst().job());
  }
}
