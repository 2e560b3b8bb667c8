package dev.fairlead.work.serving;

import dev.fairlead.work.serving.Replica.Condition;
import dev.fairlead.work.serving.Replica.Seen;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Adds, stops and restarts the replicas of a service according to its {@link ServicePlan}.
 *
 * <p>A replica on a drained or unreachable node or cluster is leaving. It is stopped only after a
 * successor is ready, if {@code maxReplicas} permits both.
 *
 * @param service its settings at this time
 * @param seen the replicas of the state
 */
record ReplicaPlan(ModelService service, ServiceState state, List<Seen> seen, Instant now) {
  /** Most replicas above the floor that wait in the queue while a rollout is open. */
  static final int MOST_QUEUED = 4;

  /**
   * The next list of replicas, with added, stopped and restarted ones.
   *
   * @param wanted number of replicas by version All others are stopped
   */
  List<Replica> next(SortedMap<Integer, Integer> wanted) {
    List<Replica> next = new ArrayList<>();
    for (int version : versions(wanted)) {
      List<Seen> counted = new ArrayList<>();
      for (Seen each : seen) {
        if (each.replica().version() == version) {
          if (each.replica().stopping()) {
            addUnlessOver(next, each);
          } else if (!each.leaving()) {
            counted.add(each);
          }
        }
      }
      counted.sort(ReplicaPlan::keptFirst);
      int most = wanted.getOrDefault(version, 0);
      List<Replica> leaving = leaving(version, most - Replica.ready(counted));
      next.addAll(leaving);
      int floor = floor(version, most);
      int others = solid(leaving);
      int held = Math.max(floor, most - crowdedOut(counted, leaving, floor));
      int solid = 0;
      for (int i = 0; i < counted.size(); i++) {
        Seen each = counted.get(i);
        boolean ofFloor = !each.replica().surplus();
        if (i >= held && (!ofFloor || solid >= floor) || yields(each)) {
          addUnlessOver(next, new Seen(each.replica().stopped(), each.condition(), ""));
          continue;
        }
        solid += ofFloor ? 1 : 0;
        next.add(
            each.condition() == Condition.ENDED
                ? each.replica().restarted(now, each.longRun(), state.revision())
                : each.replica());
      }
      int present = counted.size() + remaining(leaving);
      int missing = Math.max(most - present, Math.min(floor - solid - others, room()));
      add(next, version, Math.min(missing, allowed(version, counted, solid)), solid + others);
    }
    replace(next, wanted);
    return next;
  }

  /**
   * Adds a successor for each leaving replica without one, up to the maximum number of replicas.
   */
  private void replace(List<Replica> next, SortedMap<Integer, Integer> wanted) {
    wanted.forEach((version, most) -> {
      List<Replica> gone =
          seen.stream()
              .filter(each -> each.leaving() && each.counts(version))
              .map(Seen::replica)
              .toList();
      if (!gone.isEmpty()) {
        List<Replica> stay =
            next.stream()
                .filter(each -> each.version() == version && !each.stopping())
                .filter(each -> !gone.contains(each))
                .toList();
        int room = service.maxReplicas() - next.size();
        add(next, version, Math.min(most - stay.size(), room), solid(stay));
      }
    });
  }

  /**
   * Returns the leaving replicas. Stops as many replicas as other replicas are ready, ready
   * replicas last.
   *
   * @param missing number of replicas missing in other versions
   */
  private List<Replica> leaving(int version, int missing) {
    List<Seen> leaving =
        new ArrayList<>(
            seen.stream().filter(each -> each.leaving() && each.counts(version)).toList());
    leaving.sort(ReplicaPlan::keptFirst);
    List<Replica> next = new ArrayList<>();
    for (Seen each : leaving) {
      next.add(next.size() < missing ? each.replica() : each.replica().stopped());
    }
    return next;
  }

  private static int remaining(List<Replica> replicas) {
    return Math.toIntExact(replicas.stream().filter(each -> !each.stopping()).count());
  }

  /** Replicas that must not be preempted. */
  private static int solid(List<Replica> replicas) {
    return Math.toIntExact(
        replicas.stream().filter(each -> !each.stopping() && !each.surplus()).count());
  }

  /**
   * Replicas that must not be preempted. While a rollout exchanges replicas, ready replicas come
   * first, including surplus.
   */
  private int floor(int version, int most) {
    Rollout rollout = state.rollout();
    boolean exchanging = rollout != null && rollout.open();
    return exchanging || version != state.stable() ? 0 : Math.min(most, service.minReplicas());
  }

  /**
   * Returns whether a waiting replica above the floor precedes a replica of the rollout in the
   * queue. It is stopped and submitted again later, so the rollout gets free quota first.
   */
  private boolean yields(Seen each) {
    Rollout rollout = state.rollout();
    return rollout != null
        && rollout.open()
        && each.replica().surplus()
        && each.counts(state.stable())
        && seen.stream().anyMatch(other -> other.counts(rollout.target()) && each.before(other));
  }

  /**
   * Replicas that may be added. While a rollout is open, few of the stable version wait above the
   * floor, because all of them are cancelled for each replica of the rollout.
   */
  private int allowed(int version, List<Seen> counted, int solid) {
    Rollout rollout = state.rollout();
    if (rollout == null || !rollout.open() || version != state.stable()) {
      return Integer.MAX_VALUE;
    }
    long queued = counted.stream().filter(Seen::queued).count();
    return Math.max(
        service.minReplicas() - solid, Math.max(0, MOST_QUEUED - Math.toIntExact(queued)));
  }

  /** Replicas missing below the floor that cannot be added because of surplus replicas. */
  private int crowdedOut(List<Seen> counted, List<Replica> leaving, int floor) {
    long solid =
        solid(leaving) + counted.stream().filter(each -> !each.replica().surplus()).count();
    int room = Math.max(0, service.maxReplicas() - counted.size() - leaving.size());
    return Math.max(0, floor - Math.toIntExact(solid) - room);
  }

  private int room() {
    return service.maxReplicas() - seen.size();
  }

  private SortedSet<Integer> versions(SortedMap<Integer, Integer> wanted) {
    SortedSet<Integer> versions = new TreeSet<>(wanted.keySet());
    seen.forEach(each -> versions.add(each.replica().version()));
    return versions;
  }

  /** Sorts ready replicas first, then replicas of the floor, then low numbers. */
  private static int keptFirst(Seen one, Seen other) {
    int ready =
        Boolean.compare(other.condition() == Condition.READY, one.condition() == Condition.READY);
    int surplus = Boolean.compare(one.replica().surplus(), other.replica().surplus());
    return ready != 0
        ? ready
        : surplus != 0
            ? surplus
            : Integer.compare(one.replica().ordinal(), other.replica().ordinal());
  }

  /**
   * A stopping replica is removed when its job has ended. Any other remains until the caller has
   * read its job by its key: a replica that is not due may have been submitted before a refusal, or
   * before the clock was set back.
   */
  private static void addUnlessOver(List<Replica> next, Seen each) {
    if (each.condition() != Condition.ENDED) {
      next.add(each.replica());
    }
  }

  /**
   * @param solid replicas of the version that must not be preempted
   */
  private void add(List<Replica> next, int version, int missing, int solid) {
    SortedSet<Integer> taken = new TreeSet<>();
    for (Replica replica : next) {
      if (replica.version() == version) {
        taken.add(replica.ordinal());
      }
    }
    int ordinal = 0;
    for (int i = 0; i < missing; i++) {
      while (!taken.add(ordinal)) {
        ordinal++;
      }
      boolean surplus = solid + i >= service.minReplicas();
      next.add(Replica.wanted(version, ordinal, state.revision(), surplus));
    }
  }
}
