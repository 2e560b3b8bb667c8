package dev.fairlead.work.job.postgres;

import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.Transition.AllocationChange;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;

/**
 * The members whose allocations a transition moves: members of the transition when it takes, and
 * stored members when it releases. {@code stored} has the rows of all attempts except new ones.
 */
final class Holdings {
  private Holdings() {}

  /** Returns whether the transition releases the allocations that it moves. */
  static boolean givesBack(Transition transition) {
    return switch (transition.holding()) {
      case RELEASE, LEAVE -> true;
      case TAKE, JOIN, MOVE, TRANSFER, KEEP -> false;
    };
  }

  static boolean takes(Transition transition) {
    return switch (transition.holding()) {
      case TAKE, JOIN -> true;
      case RELEASE, LEAVE, MOVE, TRANSFER, KEEP -> false;
    };
  }

  /** Returns whether the same members continue to hold the allocations, for another user. */
  static boolean transfers(Transition transition) {
    return transition.holding() == AllocationChange.TRANSFER;
  }

  static List<Member> members(Transition transition, SortedMap<AttemptId, Attempt> stored) {
    return switch (transition.holding()) {
      case TAKE, TRANSFER -> attempt(transition).members();
      case JOIN -> attempt(transition).without(before(transition, stored));
      case KEEP, MOVE -> List.of();
      case LEAVE -> before(transition, stored).without(attempt(transition));
      case RELEASE -> before(transition, stored).members();
    };
  }

  static List<Member> members(List<Transition> transitions, SortedMap<AttemptId, Attempt> stored) {
    return transitions.stream().flatMap(t -> members(t, stored).stream()).toList();
  }

  /** The member to name if a statement refuses a whole set. */
  static Job firstTaker(List<Transition> transitions) {
    return transitions.stream()
        .filter(Holdings::takes)
        .map(Transition::job)
        .findFirst()
        .orElseGet(() -> transitions.getFirst().job());
  }

  /** The member that held a resource, and its job. */
  static RowBatch used(RowBatch row, Transition transition, Member member) {
    Attempt attempt = attempt(transition);
    Job job = transition.job();
    return row.set("attempt", attempt.id().value())
        .set("role", member.role())
        .set("idx", member.index())
        .set("tenant", job.tenant().value())
        .set("project", job.project().value())
        .set("queue", job.queue().value())
        .set("used_by", transition.formerUser())
        .set("job", job.id().value())
        .set("cluster", attempt.cluster().value())
        .set("model", member.flavor().model())
        .set("capacity", member.flavor().capacity());
  }

  static Attempt attempt(Transition transition) {
    return Objects.requireNonNull(transition.attempt());
  }

  private static Attempt before(Transition transition, SortedMap<AttemptId, Attempt> stored) {
    return Objects.requireNonNull(stored.get(attempt(transition).id()));
  }
}
