package dev.fairlead.work.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.LoadTarget.Metric;
import dev.fairlead.work.serving.Replica.Condition;
import dev.fairlead.work.serving.Replica.Seen;
import dev.fairlead.work.serving.traffic.RouteOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Laws of {@link ServicePlan} over random lifecycles of services, each from its seed. */
class ServicePlanLawsTest {
  private static final int LOOKS = 400;
  private Random random;
  private ModelService service;
  private ServiceState state;
  private Instant now = Instant.parse("2030-01-01T00:00:00Z");
  private Instant uncounted = now;
  private Instant countedAt = now;
  private double rate = 1;
  private int scaledUp;
  private int scaledDown;
  private int slept;
  private int woken;
  private Instant requestedAt = now;
  private final Map<String, Condition> conditions = new HashMap<>();
  private final Set<String> leaving = new HashSet<>();
  private int replaced;

  /** Clusters that do not answer. */
  private final Set<String> silent = new HashSet<>();

  private int moved;
  private int held;
  private final SortedMap<Integer, TrafficCount> traffic = new TreeMap<>();
  private final SortedMap<Integer, Double> badness = new TreeMap<>();

  private void begin(long seed) {
    random = new Random(seed);
    boolean sleeps = seed % 5 == 4;
    int floor = sleeps ? 0 : 1 + random.nextInt(6);
    service =
        new ModelService(
            new ModelServiceId(new UUID(seed, 1)),
            "chat",
            "nlp",
            "chat.example",
            floor,
            Math.max(2, floor + 1 + random.nextInt(floor + 1)),
            List.of(0, 1, 5, 25, 100).subList(random.nextInt(5), 5),
            Duration.ofSeconds(random.nextInt(20)),
            Duration.ofSeconds(1),
            seed % 2 == 0 ? null : new LoadTarget(Metric.RPS, 40, Duration.ofMinutes(1)),
            List.of(),
            sleeps ? Duration.ofMinutes(1) : null,
            ModelService.Access.OPEN,
            null,
            List.of(),
            RouteOptions.NONE);
    if (seed % 3 == 0) { // twenty minutes of each hour
      ModelService.Floor higher =
          new ModelService.Floor(
              "10 * * * *", Duration.ofMinutes(20), "UTC", service.maxReplicas() - 1);
      service =
          service.scaled(
              service.minReplicas(),
              service.maxReplicas(),
              service.scale(),
              List.of(higher),
              service.idleAfter());
    }
    state =
        ServiceState.first(
            service.id(), new TenantId(new UUID(seed, 2)), "prj/chat", service.route());
    badness.put(1, 0.001);
  }

  private static String key(Replica replica) {
    return replica.key(new ModelServiceId(new UUID(0, 0)));
  }

  /** Jobs start, become ready, fail, and stop on request. */
  private List<Seen> world() {
    List<Replica> submitted = new ArrayList<>();
    for (Replica each : state.replicas()) {
      if (each.job() == null && each.stopping()) {
        continue; // the caller finds no job for its key
      }
      submitted.add(
          each.job() == null && random.nextInt(3) > 0
              ? each.submitted(new JobId(new UUID(random.nextLong(), random.nextLong())))
              : each);
    }
    state = state.with(submitted);
    List<Seen> seen = new ArrayList<>();
    for (Replica each : state.replicas()) {
      Condition before = conditions.getOrDefault(key(each), Condition.WAITING);
      Condition after = before;
      int chance = random.nextInt(100);
      if (each.job() == null) {
        after = Condition.WAITING;
      } else if (each.stopping() && chance < 50 || chance < 2) {
        after = Condition.ENDED;
      } else if (before == Condition.WAITING && chance < 40) {
        after = Condition.READY;
      } else if (before == Condition.READY && chance > 97) {
        after = Condition.WAITING;
      }
      conditions.put(key(each), after);
      Seen is = new Seen(each, after, after == Condition.READY ? "" : "it waits");
      if (after != Condition.ENDED && each.job() != null && random.nextInt(150) == 0) {
        leaving.add(key(each)); // its node is drained, or does not answer
      }
      Seen placed = is.at(each.job() == null ? null : place(each.job()));
      seen.add(leaving.contains(key(each)) ? placed.left(after, placed.reason()) : placed);
    }
    return seen;
  }

  /** Any of three clusters, null while it is silent. */
  private @Nullable String place(JobId job) {
    String cluster = "c" + Math.floorMod(job.hashCode(), 3);
    return silent.contains(cluster) ? null : cluster;
  }

  private void clusters() {
    if (random.nextInt(30) == 0) {
      String cluster = "c" + random.nextInt(3);
      boolean _ = silent.remove(cluster) || silent.add(cluster);
    }
  }

  private void command() {
    if (state.closed() && random.nextInt(20) == 0) {
      state = state.woken(now, "mia");
      woken++;
    }
    if (random.nextInt(40) != 0) {
      return;
    }
    boolean open = state.rollout() != null && state.rollout().open();
    boolean steps = open && state.rollout().judged();
    switch (random.nextInt(7)) {
      case 0 -> {
        state = state.released(now);
        badness.put(state.latest(), random.nextBoolean() ? 0.001 : 0.3);
      }
      case 1 -> state = open ? state.aborted(state.rollout().target(), "mia", now) : state;
      case 2 -> state = open ? state.promoted(state.rollout().target(), "mia", now) : state;
      case 3 ->
          service = service.withSteps(List.of(0, 1, 5, 25, 100).subList(random.nextInt(5), 5));
      case 4 -> state = steps ? state.paused(state.rollout().target(), "mia", now) : state;
      case 5 -> state = steps ? state.resumed(state.rollout().target(), "mia") : state;
      default -> state = state.rolledBack(1 + random.nextInt(state.latest()), now);
    }
  }

  private void requests() {
    if (random.nextInt(60) == 0) {
      rate = service.idleAfter() != null && random.nextBoolean() ? 0 : random.nextDouble();
    }
    state
        .weights()
        .forEach((version, weight) -> {
          int sent = (int) (rate * random.nextInt(20 * weight));
          long bad = 0;
          for (int i = 0; i < sent; i++) {
            bad += random.nextDouble() < badness.get(version) ? 1 : 0;
          }
          TrafficCount before = traffic.getOrDefault(version, TrafficCount.NONE);
          requestedAt = sent > 0 ? now : requestedAt;
          traffic.put(version, before.plus(new TrafficCount(sent, bad, sent)));
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void everyPlanSatisfiesTheLaws(int group) {
    int rolledBack = 0;
    int promoted = 0;
    scaledUp = 0;
    scaledDown = 0;
    slept = 0;
    woken = 0;
    replaced = 0;
    moved = 0;
    held = 0;
    for (long seed = group * 25L; seed < group * 25L + 25; seed++) {
      begin(seed);
      conditions.clear();
      leaving.clear();
      silent.clear();
      traffic.clear();
      countedAt = now;
      uncounted = now;
      requestedAt = now;
      rate = 1;
      for (int look = 0; look < LOOKS; look++) {
        command();
        clusters();
        List<Seen> seen = world();
        ServiceState before = state;
        state = ServicePlan.next(service, before, seen, shown(seen), now);
        scale(seed, before);
        sleep(seed, before);
        weights(seed, seen);
        paused(seed, before);
        shares(seed, before, seen);
        room(seed);
        floor(seed, before, seen);
        leave(seed, before, seen);
        Rollout rollout = state.rollout();
        if (rollout != null && !rollout.open()) {
          ended(seed, rollout);
          promoted(seed, before, seen);
          boolean fresh = before.rollout() != null && before.rollout().open();
          rolledBack += fresh && rollout.phase() == RolloutPhase.ROLLED_BACK ? 1 : 0;
          promoted += fresh && rollout.phase() == RolloutPhase.PROMOTED ? 1 : 0;
        }
        requests();
        now = now.plusSeconds(2);
      }
    }
    assertThat(rolledBack).as("the lives contain bad versions").isPositive();
    assertThat(promoted).as("the lives contain good versions").isPositive();
    assertThat(scaledUp).as("the lives contain more load").isPositive();
    assertThat(scaledDown).as("the lives contain less load").isPositive();
    assertThat(replaced).as("the lives contain drains").isPositive();
    assertThat(moved).as("the lives contain shares that move").isPositive();
    assertThat(held).as("the lives contain pauses").isPositive();
    assertThat(slept).as("the lives contain sleep").isPositive();
    assertThat(woken).as("the lives contain wakes").isPositive();
  }

  /** The metrics of a gateway, which sometimes does not count for a while. */
  private SortedMap<Integer, ServiceTraffic> shown(List<Seen> seen) {
    uncounted = random.nextInt(200) == 0 ? now.plusSeconds(random.nextInt(200)) : uncounted;
    if (!now.isBefore(uncounted)) {
      countedAt = now;
    }
    SortedMap<Integer, ServiceTraffic> shown = new TreeMap<>();
    for (Seen each : seen) {
      int version = each.replica().version();
      if (shown.containsKey(version)) {
        continue;
      }
      SortedSet<JobId> ready = new TreeSet<>();
      seen.stream()
          .filter(other -> other.ready(version))
          .forEach(other -> ready.add(new JobId(new UUID(version, other.replica().ordinal()))));
      TrafficCount count = traffic.getOrDefault(version, TrafficCount.NONE);
      shown.put(version, new ServiceTraffic(service.id(), version, count, countedAt, ready));
    }
    return shown;
  }

  /**
   * Fails when a service closes although requests were counted or a floor applies, and when a
   * sleeping service gets a replica.
   */
  private void sleep(long seed, ServiceState before) {
    Idleness idle = state.idleness();
    if (idle == null || !idle.closed()) {
      return;
    }
    assertThat(service.at(now).minReplicas()).as("seed %d", seed).isZero();
    if (!before.closed()) {
      slept++;
      assertThat(Duration.between(requestedAt, countedAt))
          .as("seed %d", seed)
          .isGreaterThanOrEqualTo(service.idleAfter());
    }
    if (idle.sleeping()) {
      assertThat(state.replicas()).as("seed %d", seed).allMatch(Replica::stopping);
    }
  }

  /** Fails when the number leaves its bounds, or falls while the load is unknown. */
  private void scale(long seed, ServiceState before) {
    if (before.closed() || state.closed()) {
      return;
    }
    ModelService bounds = service.at(now).awake();
    int was = before.wanted(bounds);
    int is = state.wanted(bounds);
    assertThat(is).as("seed %d", seed).isBetween(bounds.minReplicas(), bounds.maxReplicas());
    assertThat(is).as("seed %d", seed).isLessThanOrEqualTo(Math.max(2 * was, was + 4));
    Scaling scaling = state.scaling();
    if (scaling == null || scaling.load() == null) {
      assertThat(is).as("seed %d", seed).isEqualTo(was);
    } else {
      scaledUp += is > was ? 1 : 0;
      scaledDown += is < was ? 1 : 0;
    }
  }

  /** Fails when a version without a ready replica has a weight, or weights are not 100. */
  private void weights(long seed, List<Seen> seen) {
    int sum = state.weights().values().stream().mapToInt(Integer::intValue).sum();
    boolean ready = seen.stream().anyMatch(each -> each.ready(state.stable()));
    List<Integer> sums = ready ? List.of(100) : List.of(0, 100);
    assertThat(sum).as("seed %d", seed).isIn(state.closed() ? List.of(0) : sums);
    assertThat(state.weights())
        .as("seed %d", seed)
        .allSatisfy((version, weight) -> {
          assertThat(weight).isPositive();
          assertThat(seen).anyMatch(each -> each.ready(version));
        });
  }

  /** Fails when a paused rollout gives its version more traffic, or ends well. */
  private void paused(long seed, ServiceState before) {
    Rollout was = before.rollout();
    Rollout is = state.rollout();
    if (was != null && was.open() && was.paused()) {
      held++;
      assertThat(is.target()).as("seed %d", seed).isEqualTo(was.target());
      assertThat(is.share()).as("seed %d", seed).isIn(0, was.share());
      assertThat(is.phase()).as("seed %d", seed).isIn(was.phase(), RolloutPhase.ROLLED_BACK);
    }
  }

  /**
   * Fails when shares are not 100, a cluster without a ready replica of a version with traffic has
   * one, or the share of a silent cluster does not move to clusters that answer.
   */
  private void shares(long seed, ServiceState before, List<Seen> seen) {
    Set<String> serving = new HashSet<>();
    for (Seen each : seen) {
      int version = each.replica().version();
      if (each.ready(version) && each.cluster() != null && state.weights().containsKey(version)) {
        serving.add(each.cluster());
      }
    }
    if (serving.isEmpty()) {
      assertThat(state.shares())
          .as("seed %d", seed)
          .isEqualTo(state.weights().isEmpty() ? Map.of() : before.shares());
      return;
    }
    assertThat(state.shares().values().stream().mapToInt(Integer::intValue).sum())
        .as("seed %d: %s", seed, state)
        .isEqualTo(100);
    assertThat(serving).as("seed %d", seed).containsAll(state.shares().keySet());
    moved += before.shares().keySet().stream().anyMatch(silent::contains) ? 1 : 0;
  }

  /** Fails when a rollout needs more replicas than the service may have. */
  private void room(long seed) {
    assertThat(state.replicas())
        .as("seed %d", seed)
        .hasSizeLessThanOrEqualTo(service.maxReplicas());
  }

  /** Fails when a plan stops a ready replica that the floor needs. */
  private void floor(long seed, ServiceState before, List<Seen> seen) {
    Rollout rollout = state.rollout();
    boolean open = rollout != null && rollout.open();
    List<Seen> serving =
        seen.stream()
            .filter(each -> each.ready(state.stable()) || open && each.ready(rollout.target()))
            .toList();
    long stays = serving.stream().filter(each -> state.replicas().contains(each.replica())).count();
    assertThat(stays)
        .as("seed %d: %s to %s", seed, before, state)
        .isGreaterThanOrEqualTo(Math.min(least(), serving.size()));
  }

  /** Fails when a departing replica is stopped before others are ready, or is never stopped. */
  private void leave(long seed, ServiceState before, List<Seen> seen) {
    Rollout rollout = state.rollout();
    if (rollout != null && rollout.open() || state.closed() || before.stable() != state.stable()) {
      return;
    }
    long staying =
        seen.stream().filter(each -> each.ready(state.stable()) && !each.leaving()).count();
    List<Seen> leaves =
        seen.stream().filter(each -> each.leaving() && each.counts(state.stable())).toList();
    long remain = leaves.stream().filter(each -> state.replicas().contains(each.replica())).count();
    long wanted = state.wanted(service.at(now).awake());
    long live = seen.stream().filter(each -> each.counts(state.stable())).count();
    assertThat(remain)
        .as("seed %d: %s to %s", seed, before, state)
        .isBetween(
            Math.clamp(Math.min(wanted, live) - staying, 0, (long) leaves.size()),
            Math.max(0, wanted - staying));
    replaced += remain < leaves.size() ? 1 : 0;
  }

  private int least() {
    boolean sleeps = state.idleness() != null && state.idleness().sleeping();
    return sleeps ? 0 : service.at(now).awake().minReplicas();
  }

  /** Fails when a version becomes stable with fewer ready replicas than the floor. */
  private void promoted(long seed, ServiceState before, List<Seen> seen) {
    if (state.stable() != before.stable()) {
      assertThat(seen.stream().filter(each -> each.ready(state.stable())))
          .as("seed %d", seed)
          .hasSizeGreaterThanOrEqualTo(service.at(now).awake().minReplicas());
    }
  }

  /** Fails when a version that was rolled back or aborted automatically gets traffic again. */
  private void ended(long seed, Rollout rollout) {
    if (rollout.phase() == RolloutPhase.PROMOTED) {
      assertThat(state.stable()).as("seed %d", seed).isEqualTo(rollout.target());
    } else {
      assertThat(state.stable()).as("seed %d", seed).isNotEqualTo(rollout.target());
      assertThat(state.weights()).as("seed %d", seed).doesNotContainKey(rollout.target());
    }
  }
}
