package dev.fairlead.work.serving;

import dev.fairlead.work.serving.Replica.Condition;
import dev.fairlead.work.serving.Replica.Seen;
import dev.fairlead.work.serving.ServiceState.Warm;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides the next state of a service from its settings, its observed replicas and its traffic. Has
 * no effect itself.
 *
 * <p>The weights are 100 together, or empty when nothing is ready, and no version without a ready
 * replica has one. While a rollout is open, replicas of the stable version are stopped only as far
 * as ready replicas of the other version reach the wanted number. All versions together have at
 * most {@code maxReplicas} replicas, including stopping ones.
 *
 * <p>A service that sleeps by {@link Idleness} has no weight and no replica, and its rollout waits.
 *
 * <p>A replica on a node or cluster that is drained or unreachable is leaving: it is stopped only
 * after another one is ready in its stead, as far as {@code maxReplicas} has room for both.
 *
 * <p>Of several floors of this time the highest applies. The wanted number is the floor, or follows
 * the load by {@link Scaling}. A replica above the floor that is not ready delays neither traffic
 * nor a rollout.
 */
public final class ServicePlan {
  /** Time for which the previous version keeps its replicas. */
  static final Duration WARM_FOR = Duration.ofMinutes(10);

  private static final int ALL = 100;

  /** Most replicas above the floor that wait in the queue while a rollout is open. */
  static final int MOST_QUEUED = 4;

  private final ModelService service;
  private final ServiceState state;
  private final List<Seen> seen;
  private final SortedMap<Integer, ServiceTraffic> traffic;
  private final @Nullable Scaling scaling;
  private final @Nullable Idleness idleness;
  private final Instant now;

  private ServicePlan(
      ModelService service,
      ServiceState state,
      List<Seen> seen,
      SortedMap<Integer, ServiceTraffic> traffic,
      Instant now) {
    this.service = service.at(now).awake();
    this.state = state;
    this.seen = seen;
    this.traffic = traffic;
    this.now = now;
    idleness =
        Idleness.next(service, state.idleness(), ready(), Scaling.sample(traffic.values()), now);
    scaling = idleness != null && idleness.sleeping() ? null : scaling();
  }

  /**
   * The next state.
   *
   * @param seen the replicas of the state, in any order
   * @param traffic what gateways show, by version
   */
  public static ServiceState next(
      ModelService service,
      ServiceState state,
      List<Seen> seen,
      SortedMap<Integer, ServiceTraffic> traffic,
      Instant now) {
    return new ServicePlan(service, state, seen, traffic, now).next();
  }

  private ServiceState next() {
    if (state.deleting()) {
      return state.planned(
          state.stable(), null, state.rollout(), new TreeMap<>(), replicas(new TreeMap<>()));
    }
    if (idleness != null && idleness.sleeping()) {
      return asleep();
    }
    Rollout rollout = state.rollout() == null ? null : advanced(state.rollout());
    boolean promoted =
        rollout != null
            && rollout.phase() == RolloutPhase.PROMOTED
            && rollout.target() != state.stable()
            && state.rollout() != null
            && state.rollout().open();
    int stable = promoted && rollout != null ? rollout.target() : state.stable();
    Warm warm = promoted ? new Warm(state.stable(), now.plus(WARM_FOR)) : warm(rollout);
    return state
        .planned(
            stable,
            warm,
            rollout,
            idleness != null && idleness.closed() ? new TreeMap<>() : weights(stable, rollout),
            replicas(wanted(stable, warm, rollout)))
        .measured(scaling, idleness);
  }

  private ServiceState asleep() {
    Rollout last = state.rollout();
    Rollout rollout =
        last != null && last.open()
            ? last.in(last.phase(), last.test(), "the rollout waits, because the service sleeps")
            : last;
    return state
        .planned(state.stable(), null, rollout, new TreeMap<>(), replicas(new TreeMap<>()))
        .measured(null, idleness);
  }

  private boolean ready() {
    return seen.stream()
        .anyMatch(
            each -> each.ready(each.replica().version()) && state.serves(each.replica().version()));
  }

  private @Nullable Scaling scaling() {
    LoadTarget rule = service.scale();
    if (rule == null) {
      return null;
    }
    Scaling before = state.scaling();
    return (before == null ? Scaling.first(service.bounded(serving())) : before)
        .next(service, rule, Scaling.sample(traffic.values()), now);
  }

  private int serving() {
    return Math.toIntExact(
        seen.stream()
            .map(Seen::replica)
            .filter(each -> !each.stopping() && state.serves(each.version()))
            .count());
  }

  /**
   * Replicas that should be ready together. A rollout exchanges replicas, so it needs one spare
   * replica below {@code maxReplicas}.
   */
  private int size(boolean exchanging) {
    int wanted = state.measured(scaling, idleness).wanted(service);
    return exchanging
        ? Math.max(service.minReplicas(), Math.min(wanted, service.maxReplicas() - 1))
        : wanted;
  }

  private @Nullable Warm warm(@Nullable Rollout rollout) {
    Warm warm = state.warm();
    boolean released = rollout != null && rollout.open();
    return warm == null || released || !now.isBefore(warm.until()) ? null : warm;
  }

  private Rollout advanced(Rollout rollout) {
    if (!rollout.open()) {
      return rollout;
    }
    Rollout measured = measured(rollout);
    CanaryTest test = measured.test();
    if (test != null && measured.judged() && test.alarms()) {
      return measured.ended(
          RolloutPhase.ROLLED_BACK,
          now,
          "version %d at %d %%: %s".formatted(measured.target(), measured.share(), test.summary()));
    }
    return measured.phase() == RolloutPhase.WAITING_FOR_REPLICAS
        ? started(measured)
        : judged(measured);
  }

  /** With the requests since the last look. */
  private Rollout measured(Rollout rollout) {
    CanaryTest test = rollout.test();
    return test == null
        ? rollout
        : rollout.in(rollout.phase(), test.with(counters(rollout)), rollout.reason());
  }

  private CanaryTest.Counters counters(Rollout rollout) {
    return new CanaryTest.Counters(count(rollout.target()), count(state.stable()));
  }

  private TrafficCount count(int version) {
    ServiceTraffic shown = traffic.get(version);
    return shown == null ? TrafficCount.NONE : shown.count();
  }

  /** The step begins when enough replicas are ready. */
  private Rollout started(Rollout rollout) {
    int needed = needed(rollout);
    int ready = ready(rollout.target());
    if (ready < needed) {
      return rollout.in(
          RolloutPhase.WAITING_FOR_REPLICAS, rollout.test(), missing(rollout, ready, needed));
    }
    if (!rollout.judged()) {
      return rollout.ended(RolloutPhase.PROMOTED, now, rollout.reason());
    }
    CanaryTest test = rollout.test();
    CanaryTest from =
        test == null ? CanaryTest.from(counters(rollout)) : test.atStep(counters(rollout));
    return rollout.observing(share(rollout), from, now);
  }

  private String why(int version) {
    return seen.stream()
        .filter(each -> each.counts(version) && !each.reason().isEmpty())
        .map(each -> ": " + each.reason())
        .findFirst()
        .orElseGet(() -> room(version));
  }

  private String room(int version) {
    long others = seen.stream().filter(each -> !each.counts(version)).count();
    return others < service.maxReplicas()
        ? ""
        : ": maxReplicas is %d, and %d other replicas exist"
            .formatted(service.maxReplicas(), others);
  }

  private Rollout judged(Rollout rollout) {
    CanaryTest test = rollout.test();
    if (test == null) {
      return rollout;
    }
    if (now.isBefore(rollout.since().plus(service.stepFor()))) {
      return rollout.in(RolloutPhase.OBSERVING, test, test.summary());
    }
    if (!test.passes()) {
      return rollout.in(
          RolloutPhase.WAITING_FOR_TRAFFIC,
          test,
          "%d requests in this step are too few for a decision: %s"
              .formatted(test.step().requests(), test.summary()));
    }
    if (rollout.share() < ALL) {
      return rollout.next(now);
    }
    int needed = share(attained(), ALL);
    int ready = ready(rollout.target());
    return ready < needed
        ? rollout.in(RolloutPhase.WAITING_FOR_REPLICAS, test, missing(rollout, ready, needed))
        : rollout.ended(RolloutPhase.PROMOTED, now, test.summary());
  }

  private String missing(Rollout rollout, int ready, int needed) {
    return "%d of %d replicas of version %d are ready%s"
        .formatted(ready, needed, rollout.target(), why(rollout.target()));
  }

  private int share(Rollout rollout) {
    List<Integer> steps = service.steps();
    return rollout.judged() && rollout.step() < steps.size() ? steps.get(rollout.step()) : ALL;
  }

  /** Ready replicas that the target needs before it gets the traffic of its step. */
  private int needed(Rollout rollout) {
    return share(attained(), share(rollout));
  }

  /**
   * The wanted replicas without those above the floor that never became ready: an unfinished
   * increase delays no rollout. After the exchange began, both versions count.
   */
  private int attained() {
    int size = size(true);
    int stable = state.stable();
    int target = state.rollout() == null ? stable : state.rollout().target();
    int ready = ready(stable) + (live(stable) < size ? ready(target) : 0);
    return Math.clamp(ready, service.minReplicas(), size);
  }

  private static int share(int replicas, int percent) {
    return Math.max(1, Math.ceilDiv(replicas * percent, ALL));
  }

  private int ready(int version) {
    return Math.toIntExact(seen.stream().filter(each -> each.ready(version)).count());
  }

  private SortedMap<Integer, Integer> weights(int stable, @Nullable Rollout rollout) {
    SortedMap<Integer, Integer> weights = new TreeMap<>();
    boolean stableReady = ready(stable) > 0;
    int share = 0;
    if (rollout != null && rollout.open() && ready(rollout.target()) > 0) {
      share = stableReady || rollout.share() == 0 ? rollout.share() : ALL;
      put(weights, rollout.target(), share);
    }
    put(weights, stable, stableReady ? ALL - share : 0);
    return weights;
  }

  private static void put(SortedMap<Integer, Integer> weights, int version, int weight) {
    if (weight > 0) {
      Integer _ = weights.put(version, weight);
    }
  }

  /** Replicas by version. All others are stopped. */
  private SortedMap<Integer, Integer> wanted(
      int stable, @Nullable Warm warm, @Nullable Rollout rollout) {
    int most = service.maxReplicas();
    SortedMap<Integer, Integer> wanted = new TreeMap<>();
    if (rollout != null && rollout.open()) {
      int size = size(true);
      int target = rollout.target();
      int needed = share(size, share(rollout));
      int least = Math.max(0, size - ready(target));
      int old = bounded(stable, Math.max(least, Math.min(size, most - needed)), 0);
      Integer _ = wanted.put(stable, old);
      /* Other steps may need fewer replicas than the service has of this version. */
      int held = Math.max(needed, Math.min(live(target), size - ready(stable)));
      Integer _ = wanted.put(target, bounded(target, held, Math.max(0, old - live(stable))));
      return wanted;
    }
    int size = size(false);
    Integer _ = wanted.put(stable, bounded(stable, size, 0));
    if (warm != null && warm.version() != stable) {
      Integer _ = wanted.put(warm.version(), Math.min(staying(warm.version()), most - size));
    }
    return wanted;
  }

  /**
   * Limited so that all versions together stay within the maximum.
   *
   * @param added replicas of other versions that are about to begin
   */
  private int bounded(int version, int needed, int added) {
    int others =
        added + Math.toIntExact(seen.stream().filter(each -> !each.counts(version)).count());
    return Math.min(needed, Math.max(live(version), service.maxReplicas() - others));
  }

  private int live(int version) {
    return Math.toIntExact(seen.stream().filter(each -> each.counts(version)).count());
  }

  /** Replicas that are not leaving. */
  private int staying(int version) {
    return Math.toIntExact(
        seen.stream().filter(each -> each.counts(version) && !each.leaving()).count());
  }

  /** The next list of replicas, with added, stopped and restarted ones. */
  private List<Replica> replicas(SortedMap<Integer, Integer> wanted) {
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
      counted.sort(ServicePlan::keptFirst);
      int most = wanted.getOrDefault(version, 0);
      List<Replica> leaving = leaving(version, most - ready(counted));
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

  /** Adds a replica for each one that is leaving and has no successor, as far as there is room. */
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
   * Leaving replicas, of which as many are stopped as others are ready, those that are not ready
   * first.
   *
   * @param missing number that the others lack
   */
  private List<Replica> leaving(int version, int missing) {
    List<Seen> leaving =
        new ArrayList<>(
            seen.stream().filter(each -> each.leaving() && each.counts(version)).toList());
    leaving.sort(ServicePlan::keptFirst);
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

  private static int ready(List<Seen> counted) {
    return Math.toIntExact(
        counted.stream().filter(each -> each.condition() == Condition.READY).count());
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
   * Whether a waiting replica above the floor precedes a replica of the rollout in the queue. It is
   * stopped and submitted again later, so the rollout gets free quota first.
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
   * A stopping replica is gone when its job has ended. Any other remains until the caller has read
   * its job by its key: a replica that is not due may have been submitted before a refusal, or
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
