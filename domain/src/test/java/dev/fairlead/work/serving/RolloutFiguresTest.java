package dev.fairlead.work.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.Replica.Condition;
import dev.fairlead.work.serving.Replica.Seen;
import dev.fairlead.work.serving.traffic.RouteOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Time until a bad version is out of traffic, over many simulated rollouts with 1,000 requests a
 * second and a sample every two seconds. Run by {@code make services}.
 */
@Tag("long")
class RolloutFiguresTest {
  private static final int ROLLOUTS = 1_000;
  private static final int RATE = 1_000;
  private static final double USUAL = 0.002;

  /** Time between two looks. */
  private static final int LOOK = 2;

  private static final Instant BEGIN = Instant.parse("2030-01-01T00:00:00Z");
  private Random random;
  private ModelService service;
  private ServiceState state;
  private final SortedMap<Integer, TrafficCount> traffic = new TreeMap<>();

  /** Faults of a new version. */
  private enum Fault {
    /** 5 % of the responses have a status of 500. */
    ERRORS,
    /** The 99th percentile of the latency is three times as high: 5 % exceed the limit. */
    LATENCY,
    /** The share of bad responses grows by 1 % every two seconds, up to all. */
    LEAK,
    NONE;

    double bad(int seconds) {
      return switch (this) {
        case ERRORS, LATENCY -> 0.05;
        case LEAK -> Math.min(1, USUAL + 0.005 * seconds);
        case NONE -> USUAL;
      };
    }
  }

  /** Outcome of a rollout at its step. */
  private record Outcome(RolloutPhase phase, long requests, int seconds, long bad, long all) {}

  private void begin(long seed, int share) {
    random = new Random(seed);
    service =
        new ModelService(
            new ModelServiceId(new UUID(seed, 1)),
            "chat",
            "nlp",
            "chat.example",
            2,
            4,
            List.of(share, 100),
            Duration.ofSeconds(30),
            Duration.ofSeconds(1),
            null,
            List.of(),
            null,
            ModelService.Access.OPEN,
            null,
            List.of(),
            RouteOptions.NONE);
    traffic.clear();
    state =
        ServiceState.first(
            service.id(), new TenantId(new UUID(seed, 2)), "prj/chat", service.route());
  }

  private void look(Instant now) {
    List<Replica> submitted = new ArrayList<>();
    List<Seen> seen = new ArrayList<>();
    for (Replica each : state.replicas()) {
      JobId job = new JobId(new UUID(each.version(), each.ordinal()));
      submitted.add(each.job() == null ? each.submitted(job) : each);
      seen.add(
          new Seen(submitted.getLast(), each.stopping() ? Condition.ENDED : Condition.READY, ""));
    }
    state = state.with(submitted);
    SortedMap<Integer, ServiceTraffic> shown = new TreeMap<>();
    for (int version = 1; version <= state.latest(); version++) {
      SortedSet<JobId> ready = new TreeSet<>();
      TrafficCount count = traffic.getOrDefault(version, TrafficCount.NONE);
      shown.put(version, new ServiceTraffic(service.id(), version, count, now, ready));
    }
    state = ServicePlan.next(service, state, seen, shown, now);
  }

  private void requests(Map<Integer, Integer> weights, int version, double badShare) {
    int sent = RATE * LOOK * weights.getOrDefault(version, 0) / 100;
    long bad = 0;
    for (int i = 0; i < sent; i++) {
      bad += random.nextDouble() < badShare ? 1 : 0;
    }
    var _ = traffic.merge(version, new TrafficCount(sent, bad, sent), TrafficCount::plus);
  }

  private Outcome rollout(long seed, int share, Fault fault) {
    begin(seed, share);
    Instant now = BEGIN;
    for (int i = 0; i < 3; i++) {
      look(now);
      now = now.plusSeconds(LOOK);
    }
    state = state.released(now);
    int seconds = 0;
    boolean served = false;
    while (seconds < 600 && state.rollout().open() && state.rollout().share() < 100) {
      look(now);
      served |= state.weights().containsKey(2);
      requests(state.weights(), 1, USUAL);
      requests(state.weights(), 2, fault.bad(seconds));
      now = now.plusSeconds(LOOK);
      seconds += served ? LOOK : 0;
    }
    TrafficCount canary = traffic.getOrDefault(2, TrafficCount.NONE);
    TrafficCount stable = traffic.getOrDefault(1, TrafficCount.NONE);
    return new Outcome(
        state.rollout().phase(),
        canary.requests(),
        seconds,
        canary.bad(),
        canary.requests() + stable.requests());
  }

  /** Fails when a bad version remains in traffic for more than a minute, or hurts 1 %. */
  @ParameterizedTest
  @CsvSource({
    "1,ERRORS",
    "5,ERRORS",
    "25,ERRORS",
    "1,LATENCY",
    "5,LATENCY",
    "25,LATENCY",
    "1,LEAK",
    "5,LEAK",
    "25,LEAK"
  })
  void badVersionLeavesTheTraffic(int share, Fault fault) {
    long[] requests = new long[ROLLOUTS];
    int[] seconds = new int[ROLLOUTS];
    long bad = 0;
    long all = 0;
    int passed = 0;
    for (int i = 0; i < ROLLOUTS; i++) {
      Outcome outcome = rollout(i, share, fault);
      passed += outcome.phase() == RolloutPhase.ROLLED_BACK ? 0 : 1;
      requests[i] = outcome.requests();
      seconds[i] = outcome.seconds();
      bad += outcome.bad();
      all += outcome.all();
    }
    Arrays.sort(requests);
    Arrays.sort(seconds);
    int p95 = ROLLOUTS * 95 / 100;
    double hurt = 100.0 * bad / all;
    System.out.printf(
        "figure services: %s at %d %%: %d canary requests in the median and %d at p95, %d s at p95"
            + " and %d s at most, %.3f %% of all requests hurt, %d of %d passed the step%n",
        fault,
        share,
        requests[ROLLOUTS / 2],
        requests[p95],
        seconds[p95],
        seconds[ROLLOUTS - 1],
        hurt,
        passed,
        ROLLOUTS);
    assertThat(seconds[p95]).isLessThanOrEqualTo(60);
    assertThat(hurt).isLessThan(1);
    assertThat(passed).isLessThanOrEqualTo(ROLLOUTS / 100);
  }

  /** Fails when one of the rollouts of good versions with a million requests is rolled back. */
  @ParameterizedTest
  @ValueSource(ints = {1, 5, 25})
  void goodVersionsAreNeverRolledBackInAMillionRequests(int share) {
    long requests = 0;
    int rollouts = 0;
    int blamed = 0;
    while (requests < 1_000_000) {
      Outcome outcome = rollout(10_000 + rollouts, share, Fault.NONE);
      blamed += outcome.phase() == RolloutPhase.ROLLED_BACK ? 1 : 0;
      requests += outcome.requests();
      rollouts++;
    }
    System.out.printf(
        "figure services: %d false rollbacks in %d rollouts of good versions at %d %% with %d"
            + " canary requests%n",
        blamed, rollouts, share, requests);
    assertThat(blamed).isZero();
  }
}
