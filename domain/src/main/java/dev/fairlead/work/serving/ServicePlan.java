package dev.fairlead.work.serving;

import dev.fairlead.work.serving.Replica.Seen;
import dev.fairlead.work.serving.ServiceState.Warm;
import dev.fairlead.work.serving.signal.Guard;
import dev.fairlead.work.serving.signal.Reading;
import dev.fairlead.work.serving.spread.ClusterShares;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides the next state of a service from its settings, its observed replicas and its traffic.
 * Pure.
 *
 * <p>The weights add up to 100, or are empty when no replica is ready. A version without a ready
 * replica has no weight, except while no replica is ready because nodes or clusters are silent.
 * While a rollout is open, a replica of the stable version is stopped only if ready replicas of the
 * other version make up the wanted number. All versions together have at most {@code maxReplicas}
 * replicas, including stopping replicas.
 *
 * <p>A service that sleeps according to {@link Idleness} has no weight and no replica, and its
 * rollout waits.
 *
 * <p>The shares of clusters add up to 100 while a version with traffic has a ready replica. Only
 * clusters with such a replica have a share. While all clusters are silent, the shares remain
 * unchanged.
 *
 * <p>{@link ReplicaPlan} adds, stops and restarts the replicas.
 *
 * <p>If several floors apply at the same time, the highest counts. The wanted number is the floor,
 * or follows the load by {@link Scaling}. A replica above the floor that is not ready delays
 * neither traffic nor a rollout.
 */
public final class ServicePlan {
  /** Time for which the previous version keeps its replicas. */
  static final Duration WARM_FOR = Duration.ofMinutes(10);

  /** An older reading of a guard has no value. */
  private static final Duration FRESH = Duration.ofMinutes(1);

  private static final int ALL = 100;

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
   * @param traffic traffic that gateways report, by version
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
      return state
          .planned(
              state.stable(), null, state.rollout(), new TreeMap<>(), replicas(new TreeMap<>()))
          .shared(new TreeMap<>());
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
    SortedMap<Integer, Integer> weights =
        idleness != null && idleness.closed() ? new TreeMap<>() : weights(stable, rollout);
    return state
        .planned(stable, warm, rollout, weights, replicas(wanted(stable, warm, rollout)))
        .measured(scaling, idleness)
        .shared(shares(weights));
  }

  private List<Replica> replicas(SortedMap<Integer, Integer> wanted) {
    return new ReplicaPlan(service, state, seen, now).next(wanted);
  }

  private ServiceState asleep() {
    Rollout last = state.rollout();
    Rollout rollout =
        last != null && last.open()
            ? last.in(
                last.phase(),
                last.test(),
                last.pause() == null
                    ? "the rollout waits, because the service sleeps"
                    : paused(last, last.pause()))
            : last;
    return state
        .planned(state.stable(), null, rollout, new TreeMap<>(), replicas(new TreeMap<>()))
        .measured(null, idleness)
        .shared(new TreeMap<>());
  }

  private SortedMap<String, Integer> shares(SortedMap<Integer, Integer> weights) {
    SortedMap<Integer, SortedMap<String, Integer>> ready = new TreeMap<>();
    for (Seen each : seen) {
      String cluster = each.cluster();
      int version = each.replica().version();
      if (cluster != null && each.ready(version)) {
        Integer _ =
            ready.computeIfAbsent(version, any -> new TreeMap<>()).merge(cluster, 1, Integer::sum);
      }
    }
    SortedMap<String, Integer> shares = ClusterShares.of(weights, ready);
    return shares.isEmpty() && !weights.isEmpty() ? state.shares() : shares;
  }

  private boolean ready() {
    return Replica.ready(state.serving(seen)) > 0;
  }

  private @Nullable Scaling scaling() {
    LoadTarget rule = service.scale();
    if (rule == null) {
      return null;
    }
    Scaling before = state.scaling();
    List<ServiceTraffic> versions =
        traffic.values().stream()
            .filter(each -> rule.metric().ofServers() == null || state.serves(each.version()))
            .toList(); // a warm version has counters, and its servers are not read
    return (before == null ? Scaling.first(service.bounded(state.serving(seen).size())) : before)
        .next(service, rule, Scaling.sample(rule, versions), now);
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
    Optional<String> bad =
        test != null && measured.judged() ? violation(measured) : Optional.empty();
    if (bad.isPresent()) {
      return measured.ended(
          RolloutPhase.ROLLED_BACK,
          now,
          "version %d at %d %%: %s".formatted(measured.target(), measured.share(), bad.get()));
    }
    if (measured.pause() != null) {
      return measured.in(measured.phase(), test, paused(measured, measured.pause()));
    }
    return measured.phase() == RolloutPhase.WAITING_FOR_REPLICAS
        ? started(measured)
        : judged(measured);
  }

  private String paused(Rollout rollout, Rollout.Pause pause) {
    return "paused by %s since %s, and retains %d replicas of version %d%s"
        .formatted(
            pause.by(),
            pause.since().truncatedTo(ChronoUnit.SECONDS),
            live(rollout.target()),
            rollout.target(),
            rollout.test() == null ? "" : ": " + rollout.test().summary());
  }

  /** The first guard that the target violates, with its value. */
  private Optional<String> violation(Rollout rollout) {
    for (Guard guard : service.guards()) {
      Reading reading = current(rollout, guard);
      if (reading != null && guard.violated(reading.value())) {
        return Optional.of(guard.violation(reading.value()));
      }
    }
    return Optional.empty();
  }

  /** The first guard without a current value, which delays the rollout. */
  private Optional<String> silent(Rollout rollout) {
    return service.guards().stream()
        .filter(guard -> current(rollout, guard) == null)
        .findFirst()
        .map(guard ->
            "no current value of %s for each replica of version %d"
                .formatted(guard.name(), rollout.target()));
  }

  /** A reading of before the step would judge the step before. */
  private @Nullable Reading current(Rollout rollout, Guard guard) {
    ServiceTraffic shown = traffic.get(rollout.target());
    Reading reading = shown == null ? null : shown.reading(guard.name());
    return reading == null
            || reading.at().isBefore(now.minus(FRESH))
            || reading.at().isBefore(rollout.since())
            || !Double.isFinite(reading.value())
        ? null
        : reading;
  }

  /** Returns the rollout with the requests since the last sample. */
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
    Optional<String> unread = silent(rollout);
    if (unread.isPresent()) {
      return rollout.in(RolloutPhase.OBSERVING, test, unread.get());
    }
    if (!test.passes()) {
      return rollout.in(
          RolloutPhase.WAITING_FOR_TRAFFIC,
          test,
          "%d requests in this step are too few for a decision: %s"
              .formatted(test.step().requests(), test.summary()));
    }
    if (rollout.share() < ALL) {
      return rollout.next(now, "the previous step was good");
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
   * The desired replicas without those above the floor that never became ready, because an
   * unfinished increase must not delay a rollout. After the start of the exchange, both versions
   * count.
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
    return weights.isEmpty() ? lastWeights() : weights;
  }

  /**
   * The last weights while all versions with traffic have replicas that were ready before their
   * node or cluster became silent. Their routes and gates continue to serve, and the routes do not
   * change when the cluster returns.
   */
  private SortedMap<Integer, Integer> lastWeights() {
    return state.weights().keySet().stream().allMatch(this::wasReady)
        ? state.weights()
        : new TreeMap<>();
  }

  private boolean wasReady(int version) {
    ServiceTraffic shown = traffic.get(version);
    return shown != null
        && seen.stream()
            .filter(each -> each.leaving() && each.counts(version))
            .filter(each -> each.condition() == Replica.Condition.WAITING)
            .map(each -> each.replica().job())
            .anyMatch(job -> job != null && shown.ready().contains(job));
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
   * @param added replicas of other versions that are about to start
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
}
