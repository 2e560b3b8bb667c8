package dev.fairlead.work.workload.kubernetes.call;

import static dev.fairlead.kernel.text.Texts.reason;
import static dev.fairlead.work.workload.kubernetes.RealCluster.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.kubernetes.FakeApiServer;
import dev.fairlead.work.workload.kubernetes.KubernetesConnector;
import dev.fairlead.work.workload.kubernetes.LyingApiServer;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Gates in front of clusters. Each limits only its own cluster and reports its load. */
class ClusterGatesTest {
  private static final int AT_ONCE = 16;
  private static final AttemptId ATTEMPT = new AttemptId(new UUID(3, 3));
  private static final WorkloadAction RETIRE =
      new WorkloadAction.Retire(ATTEMPT, "fairlead-x", List.of(), new TreeSet<>());

  /** Calls for the retirement of an attempt without members. */
  private static final String ANCHOR = "list " + ObjectNames.attempt(ATTEMPT);

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final KubernetesConnector connector =
      LyingApiServer.connector(Duration.ofSeconds(60), Duration.ofMinutes(10), meters);

  /** Fails when the clusters share a gate or a pool of threads. */
  @Test
  void hangingClusterDelaysOnlyItsCalls() throws Exception {
    CountDownLatch hanging = new CountDownLatch(AT_ONCE);
    LyingApiServer slow = new LyingApiServer();
    LyingApiServer good = new LyingApiServer();
    try (slow;
        good;
        ClusterGateway slowGateway = slow.connect("slow", connector);
        ClusterGateway goodGateway = good.connect("good", connector);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      seen(slowGateway);
      seen(goodGateway);
      surveyed(slowGateway);
      surveyed(goodGateway);
      slow.lies(
          ANCHOR,
          e -> {
            hanging.countDown();
            slow.hang();
          });
      List<Future<ActionOutcome>> held = new ArrayList<>();
      for (int i = 0; i < AT_ONCE; i++) {
        held.add(threads.submit(() -> slowGateway.apply(RETIRE)));
      }
      assertThat(hanging.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(free("slow")).isZero();
      // One more caller is refused immediately instead of waiting for the others.
      assertThat(slowGateway.apply(RETIRE))
          .isEqualTo(new ActionOutcome.Unavailable("too many concurrent calls to this cluster"));
      for (int i = 0; i < AT_ONCE; i++) {
        assertThat(goodGateway.apply(RETIRE)).isInstanceOf(ActionOutcome.Done.class);
      }
      eventually("all are free", () -> free("good") == AT_ONCE);
      assertThat(held).noneMatch(Future::isDone);
      slow.close();
    }
  }

  /** Background calls of a survey are also queued and counted. */
  private static void surveyed(ClusterGateway gateway) {
    eventually(
        "its survey has ended",
        () ->
            !String.valueOf(gateway.capabilities().reasons().get("rights"))
                    .endsWith("not asked yet")
                && !gateway.capabilities().gpuStack().isEmpty());
  }

  @Test
  void failingClusterIsSkippedForAWhileAndReportsIt() {
    LyingApiServer bad = new LyingApiServer();
    try (bad;
        ClusterGateway gateway = bad.connect("bad", connector)) {
      seen(gateway);
      surveyed(gateway);
      bad.lies(ANCHOR, e -> FakeApiServer.send(e, 500, FakeApiServer.status(500, "InternalError")));
      for (int i = 0; i < 20; i++) {
        assertThat(gateway.apply(RETIRE)).isInstanceOf(ActionOutcome.Unavailable.class);
      }
      int sent = bad.requests().size();
      assertThat(gateway.apply(RETIRE))
          .isEqualTo(
              new ActionOutcome.Unavailable(
                  "calls to this cluster are held back because too many failed"));
      assertThat(bad.requests().stream().skip(sent))
          .noneMatch(r -> r.contains("/namespaces/fairlead-x/"));
      assertThat(gauge("resilience4j.circuitbreaker.state", "state", "open")).isEqualTo(1);
      assertThat(gateway.contact().trouble())
          .satisfies(reason("cluster-gates.bad-calls-held-back"));
    }
  }

  /** Fails when a rate is cut, such as to whole tens: 19 writes a second would be 10. */
  @ParameterizedTest
  @ValueSource(ints = {10, 11, 19, 99, 200, 10_000})
  void writeRateMatchesTheSetting(int perSecond) {
    CallLimits limits =
        new CallLimits(16, perSecond, Duration.ofSeconds(2), 20, 50, Duration.ofSeconds(10));

    RateLimiterConfig rate = ClusterGates.rate(limits);

    assertThat(rate.getLimitForPeriod() * 1e9 / rate.getLimitRefreshPeriod().toNanos())
        .isCloseTo(perSecond, withinPercentage(0.01));
    assertThat(rate.getLimitRefreshPeriod()).isLessThanOrEqualTo(Duration.ofMillis(100));
  }

  @Test
  void eachGateHasItsMetersUntilItsClusterIsClosed() {
    LyingApiServer server = new LyingApiServer();
    try (server) {
      ClusterGateway gateway = server.connect("one", connector);
      assertThat(free("one")).isEqualTo(AT_ONCE);
      for (String meter :
          List.of(
              "resilience4j.ratelimiter.available.permissions",
              "resilience4j.circuitbreaker.state",
              "resilience4j.timelimiter.calls")) {
        assertThat(meters.find(meter).tag("name", "one").meters()).as(meter).isNotEmpty();
      }
      gateway.close();
      assertThat(meters.getMeters())
          .flatExtracting(m -> m.getId().getTags())
          .extracting(Tag::getValue)
          .doesNotContain("one");
    }
  }

  private static void seen(ClusterGateway gateway) {
    eventually(
        "it is seen", () -> gateway.contact().synced() && gateway.contact().trouble() == null);
  }

  private double free(String cluster) {
    return slots(Metric.CLUSTER_CALLS_PERMITTED, cluster)
        - slots(Metric.CLUSTER_CALLS_RUNNING, cluster);
  }

  private double slots(Metric metric, String cluster) {
    return meters.get(metric.meter()).tags(metric.tags(cluster)).gauge().value();
  }

  private double gauge(String name, String tag, String value) {
    return meters.get(name).tag("name", "bad").tag(tag, value).gauge().value();
  }
}
