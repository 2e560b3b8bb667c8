package dev.fairlead.work.workload.service.pass;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.attempt.ClusterRefusal;
import dev.fairlead.work.attempt.SharedDevices;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.workload.judgement.AttemptJudge;
import dev.fairlead.work.workload.judgement.BoundPlaces;
import dev.fairlead.work.workload.judgement.PlaceTransitions.Place;
import dev.fairlead.work.workload.judgement.WorkloadReconciler.Share;
import dev.fairlead.work.workload.judgement.WorkloadReconciler.Step;
import dev.fairlead.work.workload.service.attempt.AdmissionDenials;
import dev.fairlead.work.workload.service.attempt.AttemptCase;
import dev.fairlead.work.workload.service.attempt.AttemptDecision;
import dev.fairlead.work.workload.service.attempt.AttemptDecisions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One pass over some attempts of a cluster: judges the observations and stores the verdicts in one
 * commit, stores which attempts are about to be launched, acts on the cluster in parallel, and
 * stores the results. An instance runs one pass and owns the data it collects. {@link PassState}
 * persists.
 */
public final class ReconcilePass {
  private static final Logger LOG = LoggerFactory.getLogger(ReconcilePass.class);

  private final PassState state;
  private final PassView view;

  /** The attempts of the pass as now stored. */
  private final Map<AttemptId, AttemptCase> cases = new TreeMap<>();

  private final Map<AttemptId, Instant> lookAgain = new TreeMap<>();
  private final Set<AttemptId> left = new TreeSet<>();
  private final Set<AttemptId> gone = new TreeSet<>();
  private boolean changed;
  private boolean more;

  public ReconcilePass(PassState state, PassView view) {
    this.state = state;
    this.view = view;
  }

  /**
   * Result of a pass.
   *
   * @param lookAgain attempts that may change without an observation, and when
   * @param left attempts with a step that did not fit the pass, and a state that requests it. None
   *     of these is in {@code lookAgain}
   * @param gone attempts that need no further supervision
   * @param deposed whether the cluster has a higher epoch than this process
   * @param changed whether anything was stored or done
   * @param more whether an action requires another pass immediately
   */
  public record Result(
      Map<AttemptId, Instant> lookAgain,
      Set<AttemptId> left,
      Set<AttemptId> gone,
      boolean deposed,
      boolean changed,
      boolean more) {}

  /** Runs the pass. Call this once. */
  public Result run(Set<AttemptId> ids) {
    Set<AttemptId> strays = read(ids);
    Judgements judgements = judge();
    store(judgements);
    follow();
    List<Effect> effects = act();
    boolean deposed = effects.stream().anyMatch(Effect.Deposed.class::isInstance);
    if (!deposed) {
      effects.forEach(effect -> settle(effect, judgements));
      clear(effects);
    }
    cases.values().forEach(now -> lookAgainAt(now, judgements));
    lookAgain.keySet().removeAll(gone);
    lookAgain.keySet().removeAll(left);
    gone.forEach(state::forget);
    lookAgain.putAll(state.sweeper.sweep(view, strays));
    tellSetAside();
    tellNotCleared();
    tellShared();
    return new Result(lookAgain, left, gone, deposed, changed, more);
  }

  /**
   * Reads the cases of this cluster, including attempts that wait for resources, because these may
   * be released in this pass. Returns the attempts that are shown without a case.
   */
  private Set<AttemptId> read(Set<AttemptId> ids) {
    Set<AttemptId> wanted = new TreeSet<>(ids);
    wanted.addAll(state.unplaced);
    state.attempts.read(state.cluster, wanted).stream()
        .filter(seen -> seen.attempt().retiredAt() == null)
        .forEach(seen -> cases.put(seen.id(), seen));
    state.unplaced.retainAll(cases.keySet());
    Set<AttemptId> strays = new TreeSet<>(ids);
    strays.removeIf(id -> cases.containsKey(id) || view.workload(id).empty());
    return strays;
  }

  /**
   * Judges each attempt once, by all responses of the cluster. An attempt that cannot be judged is
   * skipped, after some tries for a longer time.
   */
  private Judgements judge() {
    cases.keySet().removeIf(this::rests);
    Map<String, NodeReport> asked = askedNodes();
    state.breaker.look(view, cases.values(), asked, state.time.nanos());
    Map<AttemptId, SortedMap<MemberKey, Instant>> unanswered =
        state.missing.unanswered(view, cases.values());
    unanswered.keySet().forEach(id -> lookAgain.put(id, view.soon()));
    Judgements judgements = new Judgements(state, view, unanswered, asked);
    cases.values().removeIf(seen -> !tried(seen.id(), () -> judgements.judge(seen)));
    return judgements;
  }

  private boolean rests(AttemptId id) {
    boolean rests = state.poison.rests(id, state.time.nanos());
    if (rests) {
      lookAgain.put(id, view.later());
    }
    return rests;
  }

  private boolean tried(AttemptId id, Runnable handling) {
    boolean sound = state.poison.tried(id, state.time.nanos(), handling);
    if (!sound) {
      lookAgain.put(id, view.soon());
    }
    return sound;
  }

  /** Queries the nodes that verdicts depend on. Nodes without a response are queried again soon. */
  private Map<String, NodeReport> askedNodes() {
    if (view.watch().silent()) {
      return Map.of();
    }
    Map<AttemptId, SortedSet<String>> wanted = new TreeMap<>();
    cases
        .values()
        .removeIf(seen -> !tried(seen.id(), () -> wanted.put(seen.id(), nodesToAsk(seen))));
    NavigableSet<String> names = new TreeSet<>();
    wanted.values().forEach(names::addAll);
    Map<String, NodeReport> asked = state.lookups.ask(view.gateway(), names);
    wanted.forEach((id, nodes) -> {
      if (!asked.keySet().containsAll(nodes)) {
        lookAgain.put(id, view.later());
      }
    });
    return asked;
  }

  private SortedSet<String> nodesToAsk(AttemptCase seen) {
    return AttemptJudge.nodesToAsk(
        seen.attempt(), view.workload(seen.id()), view.watch().nodes(), view.watch().isolated());
  }

  /**
   * Stores the verdicts. A verdict that the database refused is tried again soon, because the
   * cluster may never show the observation again.
   */
  private void store(Judgements judgements) {
    List<AttemptCase> changing =
        cases.values().stream().filter(seen -> judgements.changes(seen.id())).toList();
    Map<AttemptId, AttemptCase> stored = change(changing, judgements.again());
    changing.forEach(seen -> countCheckpoint(seen, stored.get(seen.id())));
    changing.stream()
        .map(AttemptCase::id)
        .filter(id -> !stored.containsKey(id))
        .forEach(id -> lookAgain.put(id, view.soon()));
    changing.stream()
        .filter(seen -> bound(seen, stored.get(seen.id())))
        .forEach(seen -> state.unplaced.add(seen.id()));
    changed = !stored.isEmpty();
    more = stored.values().stream().anyMatch(now -> now.attempt().live());
  }

  /** Returns whether the verdict found a pod of the attempt on a different node than planned. */
  private static boolean bound(AttemptCase seen, @Nullable AttemptCase now) {
    SortedMap<MemberKey, String> nodes = new TreeMap<>();
    seen.attempt().members().forEach(m -> nodes.put(MemberKey.of(m), m.nodeName()));
    return now != null
        && now.attempt().members().stream()
            .anyMatch(m -> !m.nodeName().equals(nodes.getOrDefault(MemberKey.of(m), m.nodeName())));
  }

  /** Counts the stored end of a wait for a checkpoint. */
  private void countCheckpoint(AttemptCase seen, @Nullable AttemptCase stored) {
    CheckpointRequest request = stored == null ? null : stored.attempt().checkpointRequest();
    CheckpointRequest.Outcome outcome = request == null ? null : request.outcome();
    if (outcome != null && seen.attempt().awaitedCheckpoint() != null) {
      state.metrics.checkpointEnded(view.lease().name(), outcome);
    }
  }

  /**
   * Moves the resources of members to the nodes that another scheduler chose, all together, because
   * members may exchange their nodes. Stops or moves attempts on nodes that are closed to them, so
   * that repairs can wait for their pods. A move that is not possible yet is tried again.
   */
  private void follow() {
    List<AttemptCase> bound =
        cases.values().stream().filter(now -> state.unplaced.contains(now.id())).toList();
    if (bound.isEmpty()) {
      return;
    }
    BoundPlaces places = new BoundPlaces(view.watch().stored());
    Map<AttemptId, String> refused = new TreeMap<>();
    List<AttemptCase> closed = new ArrayList<>();
    List<AttemptCase> moving = new ArrayList<>();
    for (AttemptCase now : bound) {
      String why = now.attempt().stop() == null ? places.refused(now.attempt()).orElse(null) : null;
      if (!places.misplaced(now.attempt())) {
        state.unplaced.remove(now.id());
        continue;
      }
      lookAgain.put(now.id(), view.soon());
      if (why == null) {
        moving.add(now);
      } else {
        refused.put(now.id(), why);
        closed.add(now);
      }
    }
    Map<AttemptId, Map<MemberKey, Place>> found =
        places.of(moving.stream().map(AttemptCase::attempt).toList());
    moving.removeIf(now -> !found.containsKey(now.id()));
    boolean stored = !change(closed, AttemptDecisions.misplaced(refused)).isEmpty();
    stored |= !change(moving, AttemptDecisions.moved(found)).isEmpty();
    changed |= stored;
  }

  /** Runs the due steps in parallel and returns their results. */
  private List<Effect> act() {
    DueSteps due = DueSteps.of(state, view, cases.values());
    lookAgain.putAll(due.later());
    left.addAll(due.left());
    more |= due.full();
    List<Effect> effects = state.actions.run(view, cases, launching(marked(due.now())));
    changed |= !effects.isEmpty();
    return effects;
  }

  /**
   * Removes starts from the steps while the breaker is open, or when the cluster refused the
   * watermark.
   */
  private Map<AttemptId, Step> marked(Map<AttemptId, Step> due) {
    List<AttemptId> starts =
        due.entrySet().stream()
            .filter(each -> each.getValue().share() == Share.START)
            .map(Map.Entry::getKey)
            .toList();
    if (starts.isEmpty() || !state.breaker.open() && view.marked().getAsBoolean()) {
      return due;
    }
    Map<AttemptId, Step> steps = new TreeMap<>(due);
    starts.forEach(id -> {
      steps.remove(id);
      lookAgain.put(id, view.soon());
    });
    return steps;
  }

  /**
   * Stores which attempts are about to be created. Returns the steps without attempts that may no
   * longer be launched.
   */
  private Map<AttemptId, Step> launching(Map<AttemptId, Step> due) {
    Map<AttemptId, Step> steps = new TreeMap<>(due);
    List<AttemptCase> launches =
        cases.values().stream().filter(now -> due.get(now.id()) == Step.LAUNCH).toList();
    Map<AttemptId, AttemptCase> launching = change(launches, AttemptDecisions.launching());
    launches.stream()
        .map(AttemptCase::id)
        .filter(id -> !launching.containsKey(id))
        .forEach(id -> {
          steps.remove(id);
          state.actions.forget(id);
          lookAgain.put(id, view.soon());
        });
    return steps;
  }

  /** Stores the result of an action. */
  private void settle(Effect effect, Judgements judgements) {
    AttemptCase acted = effect.acted();
    AttemptId id = acted.id();
    lookAgain.put(id, view.soon());
    switch (effect) {
      case Effect.Sent sent ->
          view.watch().contact().takes(acted.job().project(), acted.attempt().state());
      case Effect.TurnedAway(AttemptCase it, ClusterRefusal kind, String message) ->
          end(it, turnedAway(it, kind, message));
      case Effect.Refused refused ->
          end(acted, AttemptDecisions.refused(refused.cause(), refused.message()));
      case Effect.Absent absent -> {
        change(List.of(acted), judgements.again(absent.members()));
        more = true;
      }
      case Effect.Stays stays -> {
        state.notCleared.heldUp(id, stays.why(), view.now());
        lookAgain.put(id, view.later());
      }
      case Effect.Left left -> {}
      case Effect.Deposed deposed -> {}
      case Effect.Later soon -> {}
    }
  }

  private void end(AttemptCase acted, AttemptDecision refused) {
    change(List.of(acted), refused);
    state.actions.forget(acted.id());
    more = true;
  }

  /**
   * Reports the refusal on the cluster, in the log and as a metric, and ends the attempt without
   * cost. A claim on another cluster is neither a trouble of this cluster nor counted.
   */
  private AttemptDecision turnedAway(AttemptCase acted, ClusterRefusal kind, String message) {
    if (kind != ClusterRefusal.STORAGE) {
      view.watch().contact().refuses(acted.job().project(), message);
      state.metrics.refused(view.lease().name(), kind);
    }
    LOG.warn(
        "attempt {} of job {} is refused by its cluster ({}): {}",
        acted.id().text(),
        acted.job().id().text(),
        kind,
        message);
    return AttemptDecisions.turnedAway(kind, message, everywhere(acted, kind));
  }

  /** Returns whether no other cluster is worth a try. */
  private boolean everywhere(AttemptCase acted, ClusterRefusal kind) {
    if (kind == ClusterRefusal.FOR_NOW) {
      return false;
    }
    JobSpec spec = acted.job().spec();
    AdmissionDenials denials = state.attempts.denials(acted, kind);
    return kind == ClusterRefusal.POLICY
        ? denials.deniedBy(view.watch().mayUse(spec))
        : denials.lackedBy(view.watch().named(spec))
            || (denials.looked() && denials.lackedBy(view.watch().mayUse(spec)));
  }

  /** Stores which attempts have no remaining objects on the cluster. */
  private void clear(List<Effect> effects) {
    List<AttemptCase> left =
        effects.stream().filter(Effect.Left.class::isInstance).map(Effect::acted).toList();
    Set<AttemptId> reported =
        left.stream()
            .map(AttemptCase::id)
            .filter(state.notCleared::reported)
            .collect(Collectors.toSet());
    gone.addAll(written(left, AttemptDecisions.retired(reported)).keySet());
  }

  /** Writes the decisions on the locked rows. Returns the changed cases as now stored. */
  private Map<AttemptId, AttemptCase> change(List<AttemptCase> seen, AttemptDecision decision) {
    Map<AttemptId, AttemptCase> stored = written(seen, decision);
    cases.putAll(stored);
    return stored;
  }

  private Map<AttemptId, AttemptCase> written(List<AttemptCase> seen, AttemptDecision decision) {
    return state.attempts.change(view.lease(), state.cluster, seen, decision);
  }

  private void lookAgainAt(AttemptCase now, Judgements judgements) {
    judgements
        .lookAgainAt(now.attempt())
        .ifPresent(at -> lookAgain.merge(now.id(), at, (a, b) -> a.isBefore(b) ? a : b));
  }

  /** Stores in the job that its attempt is set aside, because its owner cannot read the log. */
  private void tellSetAside() {
    Map<AttemptId, String> untold = state.poison.untold();
    tell(untold, AttemptDecisions.setAside(untold), state.poison::told);
    state.metrics.setAside(view.lease().name(), state.poison.count());
  }

  private void tellNotCleared() {
    Map<AttemptId, String> kept = state.notCleared.untold(view.now());
    Consumer<AttemptId> noted = id -> state.notCleared.told(id, view.now());
    tell(kept, AttemptDecisions.notCleared(kept), noted);
  }

  /**
   * Stores in the jobs that one device is reported for two members. A full pass has all members of
   * the cluster.
   */
  private void tellShared() {
    Map<AttemptId, String> shared =
        SharedDevices.of(cases.values().stream().map(AttemptCase::attempt).toList());
    shared.keySet().removeAll(state.shared);
    shared.forEach((id, what) -> LOG.warn("attempt {}: {}", id.text(), what));
    tell(shared, AttemptDecisions.devicesShared(shared), state.shared::add);
  }

  /** Stores the causes and records them as reported, except for attempts that are cleaned up. */
  private void tell(
      Map<AttemptId, String> untold, AttemptDecision decision, Consumer<AttemptId> noted) {
    List<AttemptCase> there =
        state.attempts.read(state.cluster, untold.keySet()).stream()
            .filter(seen -> seen.attempt().retiredAt() == null)
            .toList();
    Set<AttemptId> told = new TreeSet<>(untold.keySet());
    there.forEach(seen -> told.remove(seen.id()));
    told.addAll(written(there, decision).keySet());
    told.forEach(noted);
  }
}
