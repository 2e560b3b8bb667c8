package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.cluster.connection.TrafficGateway;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.serving.LoadTarget;
import dev.fairlead.work.serving.LoadTarget.Metric;
import dev.fairlead.work.serving.RolloutPhase;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.service.RolloutOrder;
import dev.fairlead.work.serving.signal.Guard;
import dev.fairlead.work.serving.signal.Signal;
import dev.fairlead.work.serving.signal.Signal.Function;
import dev.fairlead.work.serving.signal.SignalReader;
import dev.fairlead.work.serving.traffic.RouteOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SequencedSet;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A service whose servers have metrics in the Prometheus of its cluster, in virtual time. */
class ServiceSignalsTest extends ServiceScene {
  private static final Signal WAITING = new Signal(Function.SUM, "vllm:num_requests_waiting");
  private static final Guard REFUSALS =
      new Guard(new Signal(Function.RATE, "refusals_total"), 0.5, null);
  private double waiting;
  private double refusals;
  private boolean answers = true;
  private final List<List<Signal>> orders = new ArrayList<>();

  @BeforeEach
  void aPrometheus() {
    Cluster eu = stores.inventory().clusterNamed("eu").orElseThrow();
    stores
        .inventory()
        .configure(
            eu.configured(
                eu.capacity(),
                eu.pricePerGpuHour(),
                eu.settings().withPrometheus(new Prometheus("https://eu", null, false))),
            null);
    fairlead.signals(this::read);
  }

  /** Each pod of a running replica has the same value. */
  private SignalReader.Answer read(Prometheus prometheus, SequencedSet<Signal> signals) {
    SortedMap<Signal, SortedMap<String, Double>> values = new TreeMap<>();
    orders.add(List.copyOf(signals));
    for (Signal signal : signals) {
      SortedMap<String, Double> pods = new TreeMap<>();
      for (Job job : jobs()) {
        for (Attempt attempt : fairlead.attempts(job)) {
          if (attempt.live()) {
            attempt
                .members()
                .forEach(member ->
                    pods.put(
                        ObjectNames.pod(attempt.id(), MemberKey.of(member)),
                        signal.equals(WAITING) ? waiting : refusals));
          }
        }
      }
      values.put(signal, pods);
    }
    return answers
        ? new SignalReader.Answer(values, "")
        : new SignalReader.Answer(new TreeMap<>(), "Prometheus answers 503");
  }

  private static Specs vllm(String run) {
    return server(run).annotation(ServiceVersion.RUNTIME, "vllm");
  }

  /**
   * Fails when waiting requests of the servers start no replica, or a silent Prometheus stops one.
   */
  @Test
  void replicasFollowTheQueueOfTheServers() {
    scale = new LoadTarget(Metric.QUEUE, 4, Duration.ofMinutes(2));
    apply(vllm("v1"), 2, 8);
    pass(60);
    assertThat(chat().wantedReplicas()).isEqualTo(2);
    waiting = 8;
    pass(90);
    assertThat(chat().wantedReplicas()).isGreaterThanOrEqualTo(4);
    assertThat(chat().scale().reason()).contains("waiting requests want");

    answers = false;
    pass(90);
    int before = chat().wantedReplicas();
    waiting = 0;
    pass(300);
    assertThat(chat().wantedReplicas()).isEqualTo(before);
    assertThat(chat().scale().load()).isNull();

    answers = true;
    pass(200);
    assertThat(chat().wantedReplicas()).isLessThan(before);
  }

  @Test
  void aMetricThatNoServerHasIsRefused() {
    scale = new LoadTarget(Metric.KV_CACHE, 80, Duration.ofMinutes(2));
    assertThatThrownBy(() -> apply(server("v1"), 2, 8))
        .isInstanceOfSatisfying(
            Refusal.class,
            refusal ->
                assertThat(refusal.getMessage())
                    .contains("KV_CACHE needs a runtime with metrics.cache", "sglang, vllm"));
  }

  /** Fails when a version that violates a guard remains, or a good one is not promoted. */
  @Test
  void guardsJudgeARollout() {
    guards = List.of(REFUSALS);
    apply(vllm("v1"), 2, 5);
    pass(15);
    refusals = 3;
    apply(vllm("v2"), 2, 5);
    pass(40);
    assertThat(phase()).isEqualTo(RolloutPhase.ROLLED_BACK);
    assertThat(chat().rollout().reason()).contains("RATE refusals_total is 3.000, above 0.5000");
    assertThat(weight(1)).isEqualTo(100);

    refusals = 0;
    apply(vllm("v3"), 2, 5);
    pass(180);
    assertThat(phase()).isEqualTo(RolloutPhase.PROMOTED);
    assertThat(weight(3)).isEqualTo(100);
  }

  /** Fails when metrics that users name are read before those of load targets. */
  @Test
  void loadTargetsAreReadBeforeGuards() {
    scale = new LoadTarget(Metric.QUEUE, 4, Duration.ofMinutes(2));
    guards =
        IntStream.range(0, 5)
            .mapToObj(i -> new Guard(new Signal(Function.SUM, "a_guard_" + i), 1e9, null))
            .toList();
    apply(vllm("v1"), 2, 5);
    pass(15);
    apply(vllm("v2"), 2, 5);
    pass(60);
    assertThat(orders).anySatisfy(order -> assertThat(order).hasSize(6));
    assertThat(orders).allSatisfy(order -> assertThat(order).startsWith(WAITING));
    assertThat(orders.stream().filter(order -> order.size() == 6).distinct().count())
        .isGreaterThan(1);
  }

  /** Fails when the metric of a warm version is awaited. */
  @Test
  void loadIsKnownWhileTheVersionBeforeIsWarm() {
    scale = new LoadTarget(Metric.QUEUE, 4, Duration.ofMinutes(2));
    apply(vllm("v1"), 2, 8);
    pass(15);
    apply(vllm("v2"), 2, 8);
    services.order(fairlead.ana(), RolloutOrder.PROMOTE, CHAT, 2, false);
    pass(60);
    assertThat(chat().backends()).as("version 1 is warm").hasSize(2);
    assertThat(chat().scale().load()).isZero();
  }

  /** Fails when a service needs a feature that no gateway of the fleet has. */
  @Test
  void aFeatureThatNoGatewayHasIsRefused() {
    Cluster eu = stores.inventory().clusterNamed("eu").orElseThrow();
    stores
        .inventory()
        .configure(
            eu.configured(
                eu.capacity(),
                eu.pricePerGpuHour(),
                eu.settings()
                    .withGateway(new TrafficGateway("gateways", "public", "traefik", null, null))),
            null);
    RouteOptions.Feature mirror = RouteOptions.Feature.MIRROR;
    Cluster routed = stores.inventory().clusterNamed("eu").orElseThrow();
    stores
        .inventory()
        .update(
            routed.moved(
                routed.state(),
                routed.lastSeenAt(),
                routed.trouble(),
                routed.capabilities().because(mirror.reason(), "the class copies no requests")));
    options = new RouteOptions(100, null, null);
    assertThatThrownBy(() -> apply(server("v1"), 2, 5))
        .isInstanceOfSatisfying(
            Refusal.class,
            refusal -> {
              assertThat(refusal.problems().getFirst().pointer()).isEqualTo("/mirror");
              assertThat(refusal.getMessage()).contains("the class copies no requests");
            });
    options = RouteOptions.NONE;
    assertThat(apply(server("v1"), 2, 5).latestVersion()).isEqualTo(1);
  }
}
