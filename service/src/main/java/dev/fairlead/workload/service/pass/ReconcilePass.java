package dev.fairlead.workload.service.pass;

import dev.fairlead.cluster.ClusterId;
import dev.fairlead.cluster.NodeReport;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.ClusterRefusal;
import dev.fairlead.job.MemberKey;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.loop.MonotonicClock;
import dev.fairlead.workload.AttemptJudge;
import dev.fairlead.workload.ClusterGateway;
import dev.fairlead.workload.ObservedWorkload;
import dev.fairlead.workload.WorkloadReconciler;
import dev.fairlead.workload.WorkloadReconciler.Step;
import dev.fairlead.workload.WorkloadTimeouts;
import dev.fairlead.workload.service.attempt.AttemptDecisions;
import dev.fairlead.workload.service.attempt.AttemptRepository;
import dev.fairlead.workload.service.contact.ClusterWatch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One turn over some attempts of a cluster: judge what is seen, store it in one commit, store which
 * are about to be launched, act on the cluster side by side, and store what came of it.
 */
public final class ReconcilePass {
  private static final Logger LOG = LoggerFactory.getLogger(ReconcilePass.class);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration ASK_AGAIN = Duration.ofSeconds(5);

  /**
   * Steps of one turn that start something, as many that stop, and as many that clear away: a turn
   * stays short, and none of them keeps the others waiting.
   */
  private static final int MOST_STEPS = 64;

  private final AttemptRepository desk;
  private final AttemptActions actions;
  private final NodeLookups questions;
  private final MissingPods missing;
  private final WorkloadTimeouts timeouts;
  private final ClockSkewGuard time;
  private final Sweeper sweeper;
  private final PoisonAttempts aside;
  private final NotCleared notCleared = new NotCleared();
  private final Map<AttemptId, Judged> judged = new TreeMap<>();

  private ReconcilePass(
      AttemptRepository desk,
      AttemptActions actions,
      NodeLookups questions,
      WorkloadTimeouts timeouts,
      ClockSkewGuard time,
      Sweeper sweeper,
      PoisonAttempts aside) {
    this.desk = desk;
    this.actions = actions;
    this.questions = questions;
    this.missing = new MissingPods(desk);
    this.timeouts = timeouts;
    this.time = time;
    this.sweeper = sweeper;
    this.aside = aside;
  }

  /**
   * The passes over the attempts of one cluster.
   *
   * @param workers run what is done and asked on the cluster; their number bounds the calls under
   *     way
   */
  public static ReconcilePass of(
      ClusterId cluster,
      AttemptRepository desk,
      ExecutorService workers,
      MonotonicClock clock,
      ClockSkewGuard time,
      WorkloadTimeouts timeouts) {
    PoisonAttempts aside = new PoisonAttempts();
    return new ReconcilePass(
        desk,
        new AttemptActions(desk, workers, clock, aside),
        new NodeLookups(workers),
        timeouts,
        time,
        new Sweeper(cluster, desk),
        aside);
  }

  /**
   * What came of a turn.
   *
   * @param lookAgain attempts that time alone may change, and when
   * @param gone attempts that need no more looking after
   * @param deposed whether the cluster knows a higher term than ours
   * @param changed whether anything was stored or done
   * @param more whether something was done that asks for another turn at once
   */
  public record Result(
      Map<AttemptId, Instant> lookAgain,
      Set<AttemptId> gone,
      boolean deposed,
      boolean changed,
      boolean more) {}

  /**
   * What is known of the cluster during a turn.
   *
   * @param asked nodes as the cluster told them when it was asked in this turn
   * @param unanswered members whose pods the cluster has still to tell about, by attempt, each with
   *     the time since when it is asked
   * @param acting whether anything may be done on the cluster
   * @param crowded whether so many attempts ask for an action that nothing is kept for later
   */
  public record View(
      HeldLease lease,
      ClusterGateway gateway,
      ClusterWatch watch,
      Map<AttemptId, ObservedWorkload> observed,
      Map<String, NodeReport> asked,
      Map<AttemptId, SortedMap<MemberKey, Instant>> unanswered,
      boolean acting,
      boolean crowded,
      Instant now) {
    View told(Map<String, NodeReport> answers) {
      return new View(lease, gateway, watch, observed, answers, unanswered, acting, crowded, now);
    }

    View unanswered(Map<AttemptId, SortedMap<MemberKey, Instant>> members) {
      return new View(lease, gateway, watch, observed, asked, members, acting, crowded, now);
    }

    ObservedWorkload workload(AttemptId id) {
      return observed.getOrDefault(id, ObservedWorkload.nothing(id));
    }
  }

  /** Whether it is known that the ended attempt cannot be cleared away. */
  public boolean stuck(AttemptId id, Instant now) {
    return notCleared.stuck(id, now);
  }

  /** The cluster is looked after here from now on. */
  public void begin(ClusterId cluster) {
    notCleared.recall(desk.heldUp(cluster));
  }

  /** The cluster is looked after elsewhere. */
  public void forget() {
    notCleared.forget();
  }

  public Result run(View shown, Set<AttemptId> ids) {
    judged.clear();
    Map<AttemptId, AttemptRepository.Case> cases = new TreeMap<>();
    desk.read(ids).stream()
        .filter(seen -> seen.attempt().retiredAt() == null)
        .forEach(seen -> cases.put(seen.attempt().id(), seen));
    Set<AttemptId> strays = new TreeSet<>(ids);
    strays.removeIf(id -> cases.containsKey(id) || shown.workload(id).empty());
    Map<AttemptId, Instant> lookAgain = new TreeMap<>();
    View known = shown.unanswered(missing.unanswered(shown, cases.values()));
    known.unanswered().keySet().forEach(id -> lookAgain.put(id, known.now().plus(PAUSE)));
    cases.values().removeIf(seen -> !sound(known, seen, lookAgain));
    View view = asked(known, cases, lookAgain);
    Map<AttemptId, AttemptRepository.Case> stored = store(view, cases, lookAgain);
    Map<AttemptId, Step> due = due(view, cases, lookAgain);
    boolean left = due.size() >= MOST_STEPS;
    launching(view, cases, due, lookAgain);
    List<AttemptActions.Effect> effects = actions.run(view, cases, due);
    boolean deposed = effects.stream().anyMatch(AttemptActions.Effect.Deposed.class::isInstance);
    Set<AttemptId> gone = new TreeSet<>();
    boolean more = !deposed && settle(view, cases, effects, lookAgain, gone);
    cases.forEach((id, now) -> lookAgainAt(view, now, lookAgain));
    lookAgain.keySet().removeAll(gone);
    gone.forEach(time::forget);
    gone.forEach(missing::forget);
    gone.forEach(notCleared::forget);
    sweeper.sweep(view, strays, lookAgain);
    tellSetAside(view);
    Map<AttemptId, String> kept = notCleared.untold(view.now());
    tell(view, kept, AttemptDecisions.notCleared(kept), id -> notCleared.told(id, view.now()));
    boolean living = stored.values().stream().anyMatch(now -> now.attempt().live());
    boolean changed = !stored.isEmpty() || !effects.isEmpty();
    return new Result(lookAgain, gone, deposed, changed, living || more || left);
  }

  /**
   * Whether the attempt can be judged: one that cannot is left alone, after some tries for long.
   */
  private boolean sound(View view, AttemptRepository.Case seen, Map<AttemptId, Instant> lookAgain) {
    AttemptId id = seen.attempt().id();
    if (aside.rests(id, time.nanos())) {
      lookAgain.put(id, view.now().plus(ASK_AGAIN));
      return false;
    }
    try {
      judge(view, seen);
      WorkloadReconciler.reconcile(seen.attempt(), view.workload(id));
      return true;
    } catch (RuntimeException | Error failed) {
      int failures = aside.blame(id, failed, time.nanos());
      lookAgain.put(id, view.now().plus(PAUSE));
      LOG.warn(
          "attempt {} could not be judged {} times and is left alone", id.text(), failures, failed);
      return false;
    }
  }

  /** Asks about the nodes that judging hangs on; what is not told is asked again soon. */
  private View asked(
      View view, Map<AttemptId, AttemptRepository.Case> cases, Map<AttemptId, Instant> lookAgain) {
    Map<AttemptId, SortedSet<String>> wanted = new TreeMap<>();
    SortedSet<String> names = new TreeSet<>();
    cases.forEach((id, seen) -> {
      SortedSet<String> nodes =
          AttemptJudge.nodesToAsk(seen.attempt(), view.workload(id), view.watch().nodes());
      wanted.put(id, nodes);
      names.addAll(nodes);
    });
    if (names.isEmpty() || view.watch().silent()) {
      return view;
    }
    View told = view.told(questions.ask(view.gateway(), names));
    judged.clear(); // by less than is known now
    wanted.forEach((id, nodes) -> {
      if (!told.asked().keySet().containsAll(nodes)) {
        lookAgain.put(id, view.now().plus(ASK_AGAIN));
      }
    });
    return told;
  }

  /** Whoever looks at the job is to see why nothing goes on, and not only who reads the log. */
  private void tellSetAside(View view) {
    Map<AttemptId, String> untold = aside.untold();
    tell(view, untold, AttemptDecisions.setAside(untold), aside::told);
    desk.setAside(view.lease().name(), aside.count());
  }

  /** Stores the causes, and notes which are told; attempts that are cleared away need no more. */
  private void tell(
      View view,
      Map<AttemptId, String> untold,
      AttemptRepository.Decision decision,
      Consumer<AttemptId> noted) {
    List<AttemptRepository.Case> there =
        desk.read(untold.keySet()).stream()
            .filter(seen -> seen.attempt().retiredAt() == null)
            .toList();
    Set<AttemptId> told = new TreeSet<>(untold.keySet());
    there.forEach(seen -> told.remove(seen.attempt().id()));
    told.addAll(desk.change(view.lease(), there, decision).keySet());
    told.forEach(noted);
  }

  /**
   * Stores what the observations mean; what the database did not take is tried again soon, since
   * the cluster may never show it again. Those that changed.
   */
  private Map<AttemptId, AttemptRepository.Case> store(
      View view, Map<AttemptId, AttemptRepository.Case> cases, Map<AttemptId, Instant> lookAgain) {
    List<AttemptRepository.Case> changing =
        cases.values().stream()
            .filter(seen -> judge(view, seen).changed() || explained(view, seen))
            .toList();
    Map<AttemptId, AttemptRepository.Case> changed =
        desk.change(
            view.lease(), changing, AttemptDecisions.observed(now -> scene(view, now, none())));
    changing.stream()
        .map(seen -> seen.attempt().id())
        .filter(id -> !changed.containsKey(id))
        .forEach(id -> lookAgain.put(id, view.now().plus(PAUSE)));
    cases.putAll(changed);
    return changed;
  }

  /**
   * The step of each attempt that is to be done now, those first whose last step is longest ago; a
   * step that was done a moment ago is looked at again later.
   */
  private Map<AttemptId, Step> due(
      View view, Map<AttemptId, AttemptRepository.Case> cases, Map<AttemptId, Instant> lookAgain) {
    Map<AttemptId, Step> due = new TreeMap<>();
    if (view.watch().silent() || !view.acting()) {
      cases.keySet().forEach(id -> lookAgain.put(id, view.now().plus(ASK_AGAIN)));
      return due;
    }
    Map<AttemptId, Step> wanted = wanted(view, cases, lookAgain);
    Map<WorkloadReconciler.Share, Integer> taken = new TreeMap<>();
    for (AttemptId id : actions.longestAgoFirst(wanted.keySet())) {
      Step step = Objects.requireNonNull(wanted.get(id));
      if (taken.getOrDefault(step.share(), 0) == MOST_STEPS) {
        lookAgain.put(id, view.now());
      } else if (actions.again(id, step)) {
        due.put(id, step);
        taken.merge(step.share(), 1, Integer::sum);
      } else {
        lookAgain.put(id, view.now().plus(PAUSE));
      }
    }
    return due;
  }

  /** The steps that are wanted; of an ended attempt that is kept for a while it is none yet. */
  private Map<AttemptId, Step> wanted(
      View view, Map<AttemptId, AttemptRepository.Case> cases, Map<AttemptId, Instant> lookAgain) {
    Map<AttemptId, Step> wanted = new TreeMap<>();
    cases.forEach((id, now) ->
        WorkloadReconciler.reconcile(now.attempt(), view.workload(id))
            .or(() -> budget(view, now))
            .ifPresent(step -> {
              Instant keptUntil = step == Step.RETIRE ? keptUntil(view, now.attempt()) : view.now();
              if (keptUntil.isAfter(view.now())) {
                lookAgain.put(id, keptUntil);
              } else {
                wanted.put(id, step);
              }
            }));
    return wanted;
  }

  /** Whether others may evict its members has changed. */
  private Optional<Step> budget(View view, AttemptRepository.Case now) {
    boolean yields = WorkloadReconciler.yields(now.attempt(), now.job(), view.watch()::closed);
    return yields == actions.yields(now.attempt().id())
        ? Optional.empty()
        : Optional.of(yields ? Step.YIELD : Step.GUARD);
  }

  /** Until when an ended attempt stays on its cluster, so that its output can be read. */
  private Instant keptUntil(View view, Attempt attempt) {
    Instant ended = attempt.endedAt();
    boolean nothingToRead = view.workload(attempt.id()).members().isEmpty();
    if (ended == null || nothingToRead || view.crowded()) {
      return view.now();
    }
    Duration kept =
        switch (attempt.state()) {
          case FAILED -> timeouts.keepFailed();
          case SUCCEEDED -> timeouts.keepSucceeded();
          default -> Duration.ZERO;
        };
    // an end so far ahead was stored before the database's clock was set back
    boolean ahead = ended.isAfter(view.now().plus(kept));
    return ahead ? view.now() : ended.plus(kept);
  }

  /**
   * Stores which attempts are about to be created; one that may no longer be launched is left out
   * of the turn.
   */
  private void launching(
      View view,
      Map<AttemptId, AttemptRepository.Case> cases,
      Map<AttemptId, Step> due,
      Map<AttemptId, Instant> lookAgain) {
    List<AttemptRepository.Case> launches =
        cases.values().stream().filter(now -> due.get(now.attempt().id()) == Step.LAUNCH).toList();
    Map<AttemptId, AttemptRepository.Case> launching =
        desk.change(view.lease(), launches, AttemptDecisions.launching());
    for (AttemptRepository.Case wanted : launches) {
      AttemptId id = wanted.attempt().id();
      if (launching.containsKey(id)) {
        cases.put(id, launching.getOrDefault(id, wanted));
      } else {
        due.remove(id);
        actions.forget(id);
        lookAgain.put(id, view.now().plus(PAUSE));
      }
    }
  }

  /** Stores what came of the actions; true when that asks for another turn at once. */
  private boolean settle(
      View view,
      Map<AttemptId, AttemptRepository.Case> cases,
      List<AttemptActions.Effect> effects,
      Map<AttemptId, Instant> lookAgain,
      Set<AttemptId> gone) {
    List<AttemptRepository.Case> retired = new ArrayList<>();
    boolean more = false;
    for (AttemptActions.Effect effect : effects) {
      AttemptRepository.Case acted = effect.acted();
      AttemptId id = acted.attempt().id();
      lookAgain.put(id, view.now().plus(PAUSE));
      switch (effect) {
        case AttemptActions.Effect.Sent sent ->
            view.watch().contact().takes(acted.job().project(), acted.attempt().state());
        case AttemptActions.Effect.TurnedAway away -> {
          cases.putAll(turnedAway(view, away));
          actions.forget(id);
          more = true;
        }
        case AttemptActions.Effect.Deposed deposed -> {}
        case AttemptActions.Effect.Later later -> {}
        case AttemptActions.Effect.Stays stays -> {
          notCleared.heldUp(id, stays.why(), view.now());
          lookAgain.put(id, view.now().plus(ASK_AGAIN));
        }
        case AttemptActions.Effect.Left left -> retired.add(acted);
        case AttemptActions.Effect.Refused refused -> {
          cases.putAll(
              desk.change(
                  view.lease(),
                  List.of(acted),
                  AttemptDecisions.refused(refused.cause(), refused.message())));
          actions.forget(id);
          more = true;
        }
        case AttemptActions.Effect.Absent absent -> {
          cases.putAll(
              desk.change(
                  view.lease(),
                  List.of(acted),
                  AttemptDecisions.observed(now -> scene(view, now, absent.members()))));
          more = true;
        }
      }
    }
    gone.addAll(desk.change(view.lease(), retired, AttemptDecisions.retired()).keySet());
    gone.forEach(actions::forget);
    return more;
  }

  /** Tells it on the cluster, in the log and as a figure, and ends the attempt without cost. */
  private Map<AttemptId, AttemptRepository.Case> turnedAway(
      View view, AttemptActions.Effect.TurnedAway away) {
    AttemptRepository.Case acted = away.acted();
    view.watch().contact().refuses(acted.job().project(), away.message());
    desk.refused(view.lease().name(), away.kind());
    LOG.warn(
        "attempt {} of job {} is refused by its cluster ({}): {}",
        acted.attempt().id().text(),
        acted.job().id().text(),
        away.kind(),
        away.message());
    boolean everywhere =
        away.kind() == ClusterRefusal.POLICY
            && desk.denials(acted).everywhere(view.watch().mayUse(acted.job().spec()));
    return desk.change(
        view.lease(),
        List.of(acted),
        AttemptDecisions.turnedAway(away.kind(), away.message(), everywhere));
  }

  private void lookAgainAt(
      View view, AttemptRepository.Case now, Map<AttemptId, Instant> lookAgain) {
    Instant at = judge(view, now).lookAgainAt();
    if (at != null) {
      // the verdict's time may be behind the database's
      Duration behind = Duration.between(time.of(now.attempt(), view.now()), view.now());
      lookAgain.merge(now.attempt().id(), at.plus(behind), (a, b) -> a.isBefore(b) ? a : b);
    }
  }

  /** What a case was found to be in this turn. */
  private record Judged(AttemptRepository.Case seen, AttemptJudge.Verdict verdict) {}

  /** Each case once, however often it is asked: a large gang is a long look. */
  private AttemptJudge.Verdict judge(View view, AttemptRepository.Case seen) {
    AttemptId id = seen.attempt().id();
    Judged known = judged.get(id);
    if (known == null || !known.seen().equals(seen)) {
      known =
          new Judged(
              seen, AttemptJudge.judge(seen.attempt(), seen.job(), scene(view, seen, none())));
      judged.put(id, known);
    }
    return known.verdict();
  }

  private boolean explained(View view, AttemptRepository.Case seen) {
    return AttemptJudge.explains(seen.attempt(), scene(view, seen, none())).isPresent();
  }

  private AttemptJudge.Observations scene(
      View view, AttemptRepository.Case seen, SortedSet<MemberKey> absent) {
    return new AttemptJudge.Observations(
        view.workload(seen.attempt().id()),
        view.watch().nodes(),
        view.asked(),
        view.watch().silent(),
        view.unanswered().getOrDefault(seen.attempt().id(), Collections.emptySortedMap()),
        absent,
        seen.wanted(),
        view.watch().drained(),
        view.watch().isolated(),
        time.certainlyOver(seen.attempt(), seen.job()),
        timeouts,
        time.of(seen.attempt(), view.now()));
  }

  private static SortedSet<MemberKey> none() {
    return Collections.emptySortedSet();
  }
}
