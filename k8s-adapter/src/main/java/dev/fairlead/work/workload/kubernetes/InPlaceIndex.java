package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.front.KindState;
import dev.fairlead.work.workload.kubernetes.front.KindState.Phase;
import dev.fairlead.work.workload.kubernetes.kind.InPlace;
import dev.fairlead.work.workload.kubernetes.kind.ObjectPod;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Attempts in place and the states of their objects. All members of such an attempt have the state
 * of the object. Thread-safe.
 */
final class InPlaceIndex {
  /** Exit code of a program that was ordered to end. */
  private static final int TERMINATED = 143;

  /**
   * Time without a pod after which a stopped object counts as ended although its controller may not
   * have seen its start: longer than a controller works on one object.
   */
  static final Duration SETTLED = Duration.ofMinutes(2);

  private final WorkloadIndex workloads;
  private final InstantSource clock;
  private final Consumer<AttemptId> held;
  private final Map<AttemptId, InPlace> attempts = new ConcurrentHashMap<>();
  private final Map<String, KindState> states = new ConcurrentHashMap<>();
  private final Map<AttemptId, Map<MemberKey, ObjectPod>> pods = new ConcurrentHashMap<>();
  private final Map<AttemptId, Boolean> ended = new ConcurrentHashMap<>();

  /** Attempts whose start the controller has reported. */
  private final Set<AttemptId> reported = ConcurrentHashMap.newKeySet();

  /** Attempts without their anchor. */
  private final Set<AttemptId> lost = ConcurrentHashMap.newKeySet();

  /** Times when objects without a reported start were first seen stopped and without pods. */
  private final Map<AttemptId, Instant> quiet = new ConcurrentHashMap<>();

  /**
   * @param held called after the object of an attempt was recorded or forgotten
   */
  InPlaceIndex(WorkloadIndex workloads, InstantSource clock, Consumer<AttemptId> held) {
    this.workloads = workloads;
    this.clock = clock;
    this.held = held;
  }

  @Nullable InPlace find(AttemptId attempt) {
    return attempts.get(attempt);
  }

  boolean any() {
    return !attempts.isEmpty();
  }

  /** Records an attempt before its objects are created. */
  void begins(InPlace object) {
    if (!object.equals(attempts.put(object.attempt(), object))) {
      held.accept(object.attempt());
    }
  }

  /**
   * Records an attempt as the database has it. The watch may not show its anchor yet, and without
   * it, absent pods of Fairlead would count as the end of the attempt.
   *
   * @param observed whether its members were shown before. An anchor that is not shown is lost then
   * @return whether members changed
   */
  synchronized boolean recognised(InPlace object, boolean observed) {
    if (attempts.containsKey(object.attempt())) {
      return false;
    }
    if (observed) {
      lost.add(object.attempt());
    }
    begins(object);
    return show(object);
  }

  /**
   * Applies an anchor from the watch. An anchor that vanishes while its attempt was last shown as
   * living was lost, for example by a restore of the cluster's etcd, and its end needs a proof.
   *
   * @return whether members changed
   */
  synchronized boolean anchored(@Nullable InPlace before, @Nullable InPlace now) {
    if (now != null) {
      if (lost.remove(now.attempt())) {
        quiet.remove(now.attempt());
      }
      begins(now);
      return show(now);
    }
    if (before == null) {
      return false;
    }
    AttemptId attempt = before.attempt();
    boolean living =
        !ended.containsKey(attempt) && !workloads.workload(attempt).members().isEmpty();
    return living ? !lost.add(attempt) : forget(attempt);
  }

  /** Forgets an attempt without objects. Returns whether members changed. */
  synchronized boolean forget(AttemptId attempt) {
    InPlace object = attempts.remove(attempt);
    ended.remove(attempt);
    reported.remove(attempt);
    lost.remove(attempt);
    quiet.remove(attempt);
    if (object == null) {
      return false;
    }
    held.accept(attempt);
    return put(object, Optional.empty());
  }

  /**
   * Applies the pods of the object of an attempt, in the order of their names. They only explain
   * the members, which have the state of the object.
   *
   * @return whether members changed
   */
  synchronized boolean pods(AttemptId attempt, List<ObjectPod> now) {
    InPlace object = attempts.get(attempt);
    if (object != null && object.kind().made() != null && !now.isEmpty()) {
      reported.add(attempt);
    }
    Map<MemberKey, ObjectPod> last = pods.getOrDefault(attempt, Map.of());
    Map<MemberKey, ObjectPod> placed = object == null ? Map.of() : placed(object, last, now);
    if (placed.isEmpty()) {
      pods.remove(attempt);
    } else {
      pods.put(attempt, placed);
    }
    return object != null && !placed.equals(last) && show(object);
  }

  /**
   * Returns the pod of each member by its role. A pod remains the pod of its member, because each
   * change of a member is an event, and new pods have random names.
   */
  private static Map<MemberKey, ObjectPod> placed(
      InPlace object, Map<MemberKey, ObjectPod> last, List<ObjectPod> now) {
    Map<String, MemberKey> before = new HashMap<>();
    last.forEach((key, pod) -> before.put(pod.name(), key));
    SortedSet<MemberKey> free = new TreeSet<>(object.members());
    Map<MemberKey, ObjectPod> placed = new TreeMap<>();
    Map<String, Deque<ObjectPod>> others = new HashMap<>();
    for (ObjectPod pod : now) {
      String role = object.kind().role(pod.labels());
      MemberKey key = before.get(pod.name());
      if (key != null && key.role().equals(role) && free.remove(key)) {
        placed.put(key, pod);
      } else if (role != null) {
        others.computeIfAbsent(role, r -> new ArrayDeque<>()).add(pod);
      }
    }
    for (MemberKey key : free) {
      Deque<ObjectPod> waiting = others.get(key.role());
      if (waiting != null && !waiting.isEmpty()) {
        placed.put(key, waiting.remove());
      }
    }
    return placed;
  }

  /** Applies the state of an object, null when it is not shown. Returns whether members changed. */
  synchronized boolean changed(String uid, @Nullable KindState now) {
    if (now == null) {
      states.remove(uid);
    } else {
      states.put(uid, now);
    }
    boolean changed = false;
    for (InPlace object : attempts.values()) {
      changed |= object.uid().equals(uid) && show(object);
    }
    return changed;
  }

  boolean proven(AttemptId attempt) {
    return ended.containsKey(attempt);
  }

  /** Attempts that have ended unless they still have running pods. */
  List<InPlace> unproven() {
    return attempts.values().stream()
        .filter(object -> !ended.containsKey(object.attempt()))
        .filter(object -> {
          KindState state = states.get(object.uid());
          return over(object, state);
        })
        .toList();
  }

  /**
   * Returns whether the controller will not start more pods of the attempt.
   *
   * @param state null if the object does not exist
   */
  boolean over(InPlace object, @Nullable KindState state) {
    if (state == null) {
      return true;
    }
    return object.attempt().equals(state.attempt())
        ? state.phase().over()
        : lost.contains(object.attempt()) && state.phase() == Phase.SUSPENDED;
  }

  /**
   * Returns whether the report of a stopped object without pods proves its end. A report of a
   * suspension from before the start proves nothing, because the controller may be about to create
   * the pods. Absent pods after a restore do not prove it either, because kubelets may still run
   * them.
   *
   * @param state null if the object was deleted
   */
  boolean settled(InPlace object, @Nullable KindState state) {
    boolean lostStart = lost.contains(object.attempt());
    if (!lostStart
        && (state == null
            || state.phase() != Phase.SUSPENDED
            || reported.contains(object.attempt()))) {
      return true;
    }
    Instant now = clock.instant();
    Instant since = quiet.computeIfAbsent(object.attempt(), attempt -> now);
    return !now.isBefore(since.plus(SETTLED));
  }

  /** Records that a pod of the attempt runs or may be started. */
  void runs(InPlace object) {
    quiet.remove(object.attempt());
  }

  /** Records that the last report of the controller is younger than any start for the attempt. */
  void reported(InPlace object) {
    reported.add(object.attempt());
  }

  /**
   * Records that no pod of the attempt runs and none will start.
   *
   * @param phase how its object has ended. Null if it was deleted
   */
  synchronized boolean proven(InPlace object, @Nullable Phase phase, String message) {
    if (!object.equals(attempts.get(object.attempt()))
        || ended.put(object.attempt(), true) != null) {
      return false;
    }
    return put(
        object,
        Optional.of(
            phase == Phase.SUCCEEDED
                ? new End(MemberState.SUCCEEDED, 0, null, "", false)
                : phase == Phase.FAILED
                    ? new End(
                        MemberState.FAILED, 1, object.kind().kind() + "Failed", message, false)
                    : new End(MemberState.FAILED, TERMINATED, null, message, true)));
  }

  private record End(
      MemberState state,
      @Nullable Integer exitCode,
      @Nullable String reason,
      String message,
      boolean deleting) {}

  /** Shows the state of an object that was started for the attempt. An end needs a proof. */
  private boolean show(InPlace object) {
    KindState state = states.get(object.uid());
    if (state == null
        || !object.attempt().equals(state.attempt())
        || ended.containsKey(object.attempt())) {
      return false;
    }
    /* With two controllers, only a pod proves that both have seen the start. */
    if (!state.suspended() && object.kind().made() == null) {
      reported.add(object.attempt());
    }
    MemberState shown = state.phase() == Phase.STARTING ? MemberState.PENDING : MemberState.RUNNING;
    boolean stops = state.phase() == Phase.STOPPING || state.phase() == Phase.SUSPENDED;
    return put(object, Optional.of(new End(shown, null, null, "", stops)));
  }

  private boolean put(InPlace object, Optional<End> is) {
    Instant now = clock.instant();
    Map<MemberKey, ObjectPod> shown = pods.getOrDefault(object.attempt(), Map.of());
    boolean changed = false;
    for (MemberKey key : object.members()) {
      Optional<ObservedMember> before = workloads.workload(object.attempt()).member(key);
      Optional<ObservedMember> member =
          is.map(end -> {
            boolean terminal = end.exitCode() != null;
            ObjectPod pod = shown.get(key);
            return ObservedMember.of(key, object.uid(), end.state(), null)
                .with()
                .started(
                    end.state() != MemberState.PENDING
                        || before.map(ObservedMember::started).orElse(false))
                .exitCode(end.exitCode())
                .reason(terminal || pod == null ? end.reason() : pod.text())
                .message(end.message().isEmpty() ? null : end.message())
                .endedAt(terminal ? now : null)
                .deleting(end.deleting())
                .build();
          });
      changed |= workloads.member(object.attempt(), key, member);
    }
    return changed;
  }
}
