package dev.fairlead.work.workload.service.pass;

import dev.fairlead.work.attempt.ActionRequest;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.workload.judgement.NoticeEviction;
import dev.fairlead.work.workload.judgement.WorkloadReconciler;
import dev.fairlead.work.workload.judgement.WorkloadReconciler.Share;
import dev.fairlead.work.workload.judgement.WorkloadReconciler.Step;
import dev.fairlead.work.workload.service.attempt.AttemptCase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Selects the steps of a pass, and the time when deferred attempts are examined again. */
final class DueSteps {
  /**
   * Maximum number of members that one pass starts, the same for stops and for cleanups. A single
   * larger attempt is allowed. Each member is a write on its cluster, so the limits bound the
   * length of a pass, and no kind of step delays the others.
   */
  private static final int MOST_MEMBERS = 128;

  private final PassState state;
  private final PassView view;
  private final Map<AttemptId, Wanted> wanted = new TreeMap<>();
  private final Map<AttemptId, Step> now = new TreeMap<>();
  private final Map<AttemptId, Instant> later = new TreeMap<>();
  private final Set<AttemptId> left = new TreeSet<>();
  private boolean full;

  /**
   * @param named whether its state requests the step: a page of requests contains it again for that
   * @param deadline announced end of a machine of a stopping attempt, null if none
   */
  private record Wanted(Step step, int members, boolean named, @Nullable Instant deadline) {}

  private DueSteps(PassState state, PassView view) {
    this.state = state;
    this.view = view;
  }

  static DueSteps of(PassState state, PassView view, Collection<AttemptCase> cases) {
    DueSteps due = new DueSteps(state, view);
    if (view.watch().silent() || !view.acting()) {
      cases.forEach(each -> due.later.put(each.id(), view.later()));
    } else {
      cases.forEach(due::tryToWant);
      due.choose();
    }
    return due;
  }

  /** The step of each attempt that runs now. */
  Map<AttemptId, Step> now() {
    return now;
  }

  /** Times at which the other attempts with a wanted step are examined again. */
  Map<AttemptId, Instant> later() {
    return later;
  }

  /** Attempts with a step that did not fit the pass, and a state that requests it. */
  Set<AttemptId> left() {
    return left;
  }

  /** Returns whether more steps are due than one pass runs. */
  boolean full() {
    return full;
  }

  /**
   * Selects in order, and never prefers a smaller step to a larger step that does not fit. A step
   * that ran a moment ago is examined again later. A step that no state requests, such as the
   * dismissal of a container during a launch, does not begin the next page, because it would delay
   * all requests of the other kinds.
   */
  private void choose() {
    Map<Share, Integer> taken = new TreeMap<>();
    for (AttemptId id : order()) {
      Wanted next = Objects.requireNonNull(wanted.get(id));
      Step step = next.step();
      int before = taken.getOrDefault(step.share(), 0);
      int with = before + next.members();
      if (before > 0 && with > MOST_MEMBERS) {
        full = true;
        taken.put(step.share(), MOST_MEMBERS);
        if (next.named()) {
          left.add(id);
        } else {
          later.put(id, view.now());
        }
      } else if (state.actions.again(id, step)) {
        now.put(id, step);
        taken.put(step.share(), with);
      } else {
        later.put(id, view.soon());
      }
    }
  }

  /**
   * Orders by the time of the last step, oldest first, after stops on machines with a notice, which
   * are ordered by their deadlines. An interrupted launch precedes attempts that have not begun,
   * for half of the capacity, because it already holds its nodes, and attempts of a long backlog
   * never had a step.
   */
  private Set<AttemptId> order() {
    List<AttemptId> all = state.actions.longestAgoFirst(wanted.keySet());
    Set<AttemptId> order = new LinkedHashSet<>(ending(all));
    int members = 0;
    for (AttemptId id : all) {
      Wanted next = Objects.requireNonNull(wanted.get(id));
      int with = members + next.members();
      if (next.step() == Step.COMPLETE_LAUNCH && (members == 0 || with <= MOST_MEMBERS / 2)) {
        order.add(id);
        members = with;
      }
    }
    order.addAll(all);
    return order;
  }

  private List<AttemptId> ending(List<AttemptId> all) {
    SortedMap<Instant, List<AttemptId>> ending = new TreeMap<>();
    for (AttemptId id : all) {
      Instant deadline = Objects.requireNonNull(wanted.get(id)).deadline();
      if (deadline != null) {
        ending.computeIfAbsent(deadline, none -> new ArrayList<>()).add(id);
      }
    }
    return ending.values().stream().flatMap(List::stream).toList();
  }

  private void tryToWant(AttemptCase each) {
    if (!state.poison.tried(each.id(), state.time.nanos(), () -> want(each))) {
      later.put(each.id(), view.soon());
    }
  }

  /** Adds the wanted step. An ended attempt with retained pods has no step yet. */
  private void want(AttemptCase each) {
    Step step =
        ask(each)
            .or(() -> WorkloadReconciler.reconcile(each.attempt(), view.workload(each.id())))
            .or(() -> budget(each))
            .orElse(null);
    if (step == null) {
      state.poison.forget(each.id()); // all its handlers have succeeded
      return;
    }
    Instant keptUntil = step == Step.RETIRE ? keptUntil(each.attempt()) : view.now();
    if (keptUntil.isAfter(view.now())) {
      later.put(each.id(), keptUntil);
    } else if (step == Step.RETIRE && awaitsOutput(each.attempt())) {
      later.put(each.id(), view.soon());
    } else {
      Attempt attempt = each.attempt();
      boolean named = ActionRequest.Kind.of(attempt.state()).filter(asksFor(step)).isPresent();
      Instant deadline =
          attempt.state() == AttemptState.STOPPING
              ? NoticeEviction.deadline(attempt, view.watch().nodes())
              : null;
      wanted.put(each.id(), new Wanted(step, attempt.members().size(), named, deadline));
    }
  }

  private static Predicate<ActionRequest.Kind> asksFor(Step step) {
    return switch (step.share()) {
      case START -> ActionRequest.Kind.START::equals;
      case STOP -> ActionRequest.Kind.STOP::equals;
      case CLEAR -> ActionRequest.Kind.CLEAR::equals;
    };
  }

  /** The request for a checkpoint, unless this process has sent it with the same time. */
  private Optional<Step> ask(AttemptCase each) {
    CheckpointRequest request = each.attempt().awaitedCheckpoint();
    return request == null || state.actions.asked(each.id(), request.until())
        ? Optional.empty()
        : Optional.of(Step.ASK);
  }

  /** The update of the disruption budget, if it changed. */
  private Optional<Step> budget(AttemptCase each) {
    boolean yields = WorkloadReconciler.yields(each.attempt(), each.job(), view.watch()::closed);
    return yields == state.actions.yields(each.id())
        ? Optional.empty()
        : Optional.of(yields ? Step.YIELD : Step.GUARD);
  }

  private boolean awaitsOutput(Attempt attempt) {
    return !view.workload(attempt.id()).members().isEmpty()
        && state.output.awaited(attempt, view.now());
  }

  /** Time until which the pods of an ended attempt are retained for their output. */
  private Instant keptUntil(Attempt attempt) {
    Instant ended = attempt.endedAt();
    boolean nothingToRead = view.workload(attempt.id()).members().isEmpty();
    if (ended == null || nothingToRead || view.crowded()) {
      return view.now();
    }
    Duration kept =
        switch (attempt.state()) {
          case FAILED -> state.timeouts.keepFailed();
          case SUCCEEDED -> state.timeouts.keepSucceeded();
          default -> Duration.ZERO;
        };
    /* Such an end was stored before the database's clock was set back. */
    boolean ahead = ended.isAfter(view.now().plus(kept));
    return ahead ? view.now() : ended.plus(kept);
  }
}
