package dev.fairlead.work.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.LoadTarget.Metric;
import dev.fairlead.work.serving.Replica.Condition;
import dev.fairlead.work.serving.Replica.Seen;
import dev.fairlead.work.serving.signal.Guard;
import dev.fairlead.work.serving.signal.Reading;
import dev.fairlead.work.serving.signal.Signal;
import dev.fairlead.work.serving.signal.Signal.Function;
import dev.fairlead.work.serving.traffic.RouteOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Metrics of model servers in the plan of a service: load targets, guards, dark steps, pauses. */
class ServerSignalsTest {
  private static final Guard MEMORY =
      new Guard(new Signal(Function.MAX, "memory_bytes"), 100.0, null);
  private Instant now = Instant.parse("2030-01-01T00:00:00Z");
  private ModelService service = service(null);
  private ServiceState state = first();
  private final SortedMap<Integer, Double> values = new TreeMap<>();
  private final SortedMap<Integer, TrafficCount> counts = new TreeMap<>();
  private @Nullable String name;
  private Function of = Function.SUM;

  private static ModelService service(@Nullable LoadTarget scale) {
    return new ModelService(
        new ModelServiceId(new UUID(1, 1)),
        "chat",
        "nlp",
        "chat.example",
        2,
        12,
        List.of(0, 5, 100),
        Duration.ofSeconds(10),
        Duration.ofSeconds(1),
        scale,
        List.of(),
        null,
        ModelService.Access.OPEN,
        null,
        List.of(),
        RouteOptions.NONE);
  }

  private ServiceState first() {
    return ServiceState.first(
        service.id(), new TenantId(new UUID(1, 2)), "prj/chat", service.route());
  }

  private void by(Metric metric, int target) {
    service = service(new LoadTarget(metric, target, Duration.ofMinutes(2)));
    name = metric.name();
    of = metric.ofServers() == null ? Function.SUM : metric.ofServers();
  }

  /** Each replica is ready, and each version shows its value and counts. */
  private void look() {
    now = now.plusSeconds(15);
    SortedMap<Integer, ServiceTraffic> traffic = new TreeMap<>();
    List<Seen> seen = new ArrayList<>();
    SortedMap<Integer, SortedSet<JobId>> ready = new TreeMap<>();
    for (Replica each : state.replicas()) {
      seen.add(new Seen(each, Condition.READY, ""));
      ready
          .computeIfAbsent(each.version(), any -> new TreeSet<>())
          .add(new JobId(new UUID(each.version(), each.ordinal())));
    }
    ready.forEach((version, jobs) -> {
      TrafficCount count = counts.getOrDefault(version, TrafficCount.NONE);
      ServiceTraffic shown = new ServiceTraffic(service.id(), version, count, now, jobs);
      Double value = values.get(version);
      traffic.put(
          version,
          value == null || name == null
              ? shown
              : shown.read(List.of(new Reading(name, of, value, jobs.size(), now))));
    });
    state = ServicePlan.next(service, state, seen, traffic, now);
  }

  private void looks(int times) {
    for (int i = 0; i < times; i++) {
      look();
    }
  }

  private int wanted() {
    return state.wanted(service);
  }

  /** Fails when waiting requests start no replica, or several are stopped together. */
  @Test
  void queueAddsReplicasAndStopsThemOneByOne() {
    by(Metric.QUEUE, 4);
    values.put(1, 0.0);
    looks(3);
    assertThat(wanted()).isEqualTo(2);
    values.put(1, 24.0);
    looks(6);
    assertThat(wanted()).isEqualTo(6);
    assertThat(state.scaling().reason()).contains("waiting requests want 6");

    values.put(1, 0.0);
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      int before = wanted();
      look();
      assertThat(before - wanted()).isBetween(0, 1);
      if (wanted() < before) {
        numbers.add(i);
      }
    }
    assertThat(wanted()).isEqualTo(2);
    for (int i = 1; i < numbers.size(); i++) {
      assertThat(numbers.get(i) - numbers.get(i - 1)).isGreaterThanOrEqualTo(8);
    }
  }

  /** Fails when a metric without values stops a replica. */
  @Test
  void silentMetricChangesNothing() {
    by(Metric.QUEUE, 4);
    values.put(1, 24.0);
    looks(8);
    assertThat(wanted()).isEqualTo(6);
    values.clear();
    looks(100);
    assertThat(wanted()).isEqualTo(6);
    assertThat(state.scaling().load()).isNull();
    assertThat(state.scaling().reason()).contains("the load is unknown");
  }

  /** Fails when the warm replicas of the version before, which are not read, hide the load. */
  @Test
  void loadIsKnownAfterAPromotion() {
    by(Metric.QUEUE, 4);
    values.put(1, 0.0);
    looks(3);
    state = state.released(now).promoted(2, "mia", now);
    values.put(2, 0.0);
    looks(4);
    assertThat(state.stable()).isEqualTo(2);
    assertThat(state.warm().version()).isEqualTo(1);
    values.remove(1);
    values.put(2, 24.0);
    looks(8);
    assertThat(state.warm()).isNotNull();
    assertThat(wanted()).isEqualTo(6);
  }

  @Test
  void kvCacheIsDividedByItsTarget() {
    by(Metric.KV_CACHE, 50);
    values.put(1, 0.9);
    looks(3);
    assertThat(wanted()).isEqualTo(4); // two caches of 90 %
    values.put(1, 0.5);
    looks(20);
    assertThat(wanted()).isEqualTo(4);
  }

  @Test
  void latencyAboveItsTargetAddsReplicas() {
    by(Metric.LATENCY, 500);
    for (int i = 0; i < 4; i++) {
      counts.merge(1, new TrafficCount(100, 0, 100_000), TrafficCount::plus);
      look();
    }
    assertThat(wanted()).isEqualTo(8); // twice as many in each of two steps
    int before = 0;
    for (int i = 0; i < 30; i++) {
      counts.merge(1, new TrafficCount(100, 0, 10_000), TrafficCount::plus);
      look();
      before = Math.max(before, wanted());
    }
    assertThat(wanted()).isBetween(before - 3, before - 1);
  }

  /** Fails when counters of the gateway are compared with a value of the servers. */
  @Test
  void anotherMetricStartsAnotherWindow() {
    by(Metric.QUEUE, 4);
    values.put(1, 8.0);
    looks(3);
    counts.put(1, new TrafficCount(1_000_000, 0, 1_000_000));
    by(Metric.RPS, 4);
    look();
    assertThat(state.scaling().reason()).contains("starts now");
    assertThat(wanted()).isEqualTo(2);
  }

  @Test
  void aReadingNeedsEachCluster() {
    Reading one = new Reading("QUEUE", Function.SUM, 3, 1, now);
    Reading two = new Reading("QUEUE", Function.SUM, 4, 3, now.plusSeconds(5));
    assertThat(Reading.combined(List.of(List.of(one), List.of(two))))
        .containsExactly(new Reading("QUEUE", Function.SUM, 7, 4, now));
    assertThat(Reading.combined(List.of(List.of(one), List.of()))).isEmpty();
    assertThat(
            Reading.combined(
                List.of(
                    List.of(new Reading("a", Function.AVG, 1, 1, now)),
                    List.of(new Reading("a", Function.AVG, 5, 3, now)))))
        .containsExactly(new Reading("a", Function.AVG, 4, 4, now));
  }

  private ServiceTraffic row(int job, Instant at, List<Reading> readings) {
    return new ServiceTraffic(
        service.id(),
        1,
        TrafficCount.NONE,
        at,
        new TreeSet<>(List.of(new JobId(new UUID(1, job)))),
        readings);
  }

  /** Fails when a lost cluster hides the metrics of others forever, or a late one is ignored. */
  @Test
  void aClusterThatIsSilentForTenMinutesHidesNoMetric() {
    Reading fresh = new Reading("QUEUE", Function.SUM, 3, 1, now);
    Instant late = now.minusSeconds(90);
    Instant lost = now.minusSeconds(601);
    Reading old = new Reading("QUEUE", Function.SUM, 4, 1, lost);
    assertThat(
            ServiceTraffic.summed(List.of(row(1, now, List.of(fresh)), row(2, lost, List.of(old)))))
        .extracting(ServiceTraffic::readings)
        .containsExactly(List.of(fresh));
    assertThat(ServiceTraffic.summed(List.of(row(1, now, List.of(fresh)), row(2, lost, List.of()))))
        .extracting(ServiceTraffic::readings)
        .containsExactly(List.of(fresh));
    assertThat(ServiceTraffic.summed(List.of(row(1, now, List.of(fresh)), row(2, late, List.of()))))
        .extracting(ServiceTraffic::readings)
        .containsExactly(List.of());
  }

  private void released() {
    service = service.withGuards(List.of(MEMORY));
    name = MEMORY.name();
    of = Function.MAX;
    looks(2);
    state = state.released(now);
    look();
  }

  private void good() {
    counts.merge(1, new TrafficCount(200, 0, 200), TrafficCount::plus);
    counts.merge(2, new TrafficCount(200, 0, 200), TrafficCount::plus);
    look();
  }

  /** Fails when a dark version gets a weight, or passes its step without requests. */
  @Test
  void darkVersionHasNoWeightUntilItPasses() {
    released();
    values.put(2, 50.0);
    looks(5);
    assertThat(state.rollout().phase()).isEqualTo(RolloutPhase.WAITING_FOR_TRAFFIC);
    assertThat(state.weights()).isEqualTo(Map.of(1, 100));
    ServiceRoute route = ServiceRoute.of(service, state, "eu");
    assertThat(route.dark()).isEqualTo(2);
    good();
    looks(2);
    assertThat(state.weights()).isEqualTo(Map.of(1, 95, 2, 5));
  }

  /** Fails when a violated guard does not end the rollout. */
  @Test
  void violatedGuardRollsBack() {
    released();
    values.put(2, 50.0);
    looks(2);
    values.put(2, 101.0);
    look();
    assertThat(state.rollout().phase()).isEqualTo(RolloutPhase.ROLLED_BACK);
    assertThat(state.rollout().reason()).contains("MAX memory_bytes is 101.0, above 100.0");
    assertThat(state.weights()).isEqualTo(Map.of(1, 100));
  }

  /** Fails when a step ends while the value of a guard is unknown. */
  @Test
  void silentGuardDelaysTheRollout() {
    released();
    good();
    for (int i = 0; i < 20; i++) {
      good();
    }
    assertThat(state.rollout().share()).isZero();
    assertThat(state.rollout().reason()).contains("no current value of MAX memory_bytes");
    values.put(2, 50.0);
    looks(3);
    assertThat(state.rollout().share()).isEqualTo(5);
  }

  /** Fails when a paused rollout moves traffic, or a bad version remains. */
  @Test
  void pausedRolloutMovesNoTrafficAndIsStillJudged() {
    released();
    values.put(2, 50.0);
    good();
    state = state.paused(2, "mia", now);
    for (int i = 0; i < 20; i++) {
      good();
    }
    assertThat(state.rollout().share()).isZero();
    assertThat(state.rollout().reason())
        .startsWith("paused by mia since ")
        .contains("retains 1 replicas of version 2");
    ServiceState pausedState = state;
    assertThat(state.paused(2, "tom", now)).isSameAs(state);
    state = state.resumed(2, "mia");
    assertThat(state.resumed(2, "mia")).isSameAs(state);
    looks(3);
    assertThat(state.rollout().share()).isEqualTo(5);

    state = pausedState;
    counts.merge(2, new TrafficCount(100, 90, 100), TrafficCount::plus);
    look();
    assertThat(state.rollout().phase()).isEqualTo(RolloutPhase.ROLLED_BACK);
    assertThat(state.rollout().paused()).isFalse();
  }

  /** Fails when a repeated command skips a second step, or a pause is skipped. */
  @Test
  void stepWithoutTrafficIsSkippedOnceExceptTheLast() {
    released();
    values.put(2, 50.0);
    looks(3);
    state = state.skipped(2, 0, "mia", now);
    notSkipped(0);
    looks(2);
    assertThat(state.rollout().share()).isEqualTo(5);
    notSkipped(0);
    ServiceState resumed = state;
    state = state.paused(2, "mia", now);
    notSkipped(5);
    state = resumed.skipped(2, 5, "mia", now);
    looks(2);
    assertThat(state.rollout().share()).isEqualTo(100);
    notSkipped(100);
    assertThatThrownBy(() -> state.paused(3, "mia", now)).isInstanceOf(Refusal.class);
  }

  private void notSkipped(int share) {
    assertThatThrownBy(() -> state.skipped(2, share, "mia", now))
        .isInstanceOfSatisfying(
            Refusal.class,
            refusal ->
                assertThat(refusal.getMessage()).contains("at ", share + " % cannot be skipped"));
  }
}
