package dev.fairlead.work.serving;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.LoadTarget.Metric;
import dev.fairlead.work.serving.Scaling.Sample;
import dev.fairlead.work.serving.traffic.RouteOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The number of replicas by load, from samples that arrive each 15 seconds. */
class ScalingTest {
  private static final Duration EACH = Duration.ofSeconds(15);
  private static final ModelServiceId ID = new ModelServiceId(new UUID(1, 1));
  private ModelService service = service(2, 20, Metric.RPS);
  private Scaling scaling = Scaling.first(2);
  private Instant now = Instant.parse("2030-01-01T00:00:00Z");
  private double requests;
  private double millis;

  private static ModelService service(int floor, int most, Metric metric) {
    return new ModelService(
        ID,
        "chat",
        "nlp",
        "chat.example",
        floor,
        most,
        List.of(100),
        Duration.ofSeconds(10),
        Duration.ofSeconds(1),
        new LoadTarget(metric, 20, Duration.ofMinutes(5)),
        List.of(),
        null,
        ModelService.Access.OPEN,
        null,
        List.of(),
        RouteOptions.NONE);
  }

  private void take(@Nullable Sample sample) {
    LoadTarget rule = service.scale();
    assertThat(rule).isNotNull();
    scaling = scaling.next(service, rule, sample, now);
  }

  /** One sample after 15 seconds at the rate. */
  private void sampled(double rate, double latency) {
    now = now.plus(EACH);
    requests += rate * EACH.toSeconds();
    millis += rate * EACH.toSeconds() * latency;
    take(new Sample(now, (long) requests, (long) millis, null));
  }

  private int minutes(double rate, int minutes) {
    for (int i = 0; i < 4 * minutes; i++) {
      sampled(rate, 100);
    }
    return scaling.wanted();
  }

  @Test
  void aConstantLoadHasAConstantCount() {
    Random random = new Random(7);
    for (int i = 0; i < 100; i++) {
      double rate = random.nextDouble() * 500;
      int settled = minutes(rate, 8);
      assertThat(settled)
          .isCloseTo(service.bounded((int) Math.ceil(rate / 20)), offset((settled + 9) / 10));
      for (int sample = 0; sample < 40; sample++) {
        sampled(rate, 100);
        assertThat(scaling.wanted()).as("rate %s", rate).isEqualTo(settled);
      }
    }
  }

  /** Fails when more load results in fewer replicas. */
  @Test
  void higherLoadNeverWantsFewerReplicas() {
    LoadTarget rule = new LoadTarget(Metric.RPS, 20, Duration.ofMinutes(5));
    for (int present = 1; present <= 40; present++) {
      int before = 0;
      for (double load = 0; load < 1_000; load += 0.5) {
        int replicas = rule.replicas(load, present);
        assertThat(replicas).isGreaterThanOrEqualTo(before);
        before = replicas;
      }
    }
  }

  @Test
  void aDeviationOfTenPercentChangesNothing() {
    assertThat(minutes(100, 2)).isEqualTo(5);
    assertThat(minutes(109, 10)).isEqualTo(5);
    assertThat(minutes(91, 10)).isEqualTo(5);
    assertThat(minutes(111, 2)).isEqualTo(6);
  }

  @Test
  void moreReplicasStartStepByStepAndFewerRemainAfterTheWindow() {
    sampled(20, 100);
    sampled(4000, 100);
    assertThat(scaling.wanted()).isEqualTo(6);
    assertThat(scaling.reason()).contains("at most 20 by maxReplicas", "6 in this step");
    sampled(4000, 100);
    assertThat(scaling.wanted()).isEqualTo(12);
    sampled(4000, 100);
    assertThat(scaling.wanted()).isEqualTo(20);

    assertThat(minutes(100, 5)).isEqualTo(20);
    assertThat(scaling.reason())
        .satisfies(reason("scaling.requests-per-second-want", "100.0", 5, 20, "5m"));
    assertThat(minutes(100, 2)).isEqualTo(5);
    assertThat(minutes(0, 7)).isEqualTo(2);
    assertThat(scaling.reason()).contains("want 0, at least 2 by minReplicas");
  }

  /** Fails when a short pause between two peaks stops replicas. */
  @Test
  void pauseShorterThanTheWindowStopsNoReplica() {
    assertThat(minutes(200, 3)).isEqualTo(10);
    for (int i = 0; i < 10; i++) {
      assertThat(minutes(0, 3)).isEqualTo(10);
      assertThat(minutes(200, 2)).isEqualTo(10);
    }
  }

  /** Fails when unreadable metrics count as a service without requests. */
  @Test
  void unknownLoadStopsNoReplicaAndRestartsTheWindow() {
    assertThat(minutes(200, 3)).isEqualTo(10);
    Sample last = new Sample(now, (long) requests, (long) millis, null);
    for (int i = 0; i < 100; i++) {
      now = now.plus(EACH);
      take(i % 2 == 0 ? null : last);
      assertThat(scaling.wanted()).isEqualTo(10);
    }
    assertThat(scaling.load()).isNull();
    assertThat(scaling.reason())
        .contains("the load is unknown: no request is counted since " + last.at());
    assertThat(minutes(0, 5)).isEqualTo(10);
    assertThat(minutes(0, 1)).isEqualTo(2);
  }

  /** A cluster is removed: fails when its requests are missed in the next difference. */
  @Test
  void counterResetRestartsTheWindow() {
    assertThat(minutes(200, 3)).isEqualTo(10);
    requests = 0;
    millis = 0;
    assertThat(minutes(0, 5)).isEqualTo(10);
    assertThat(minutes(0, 1)).isEqualTo(2);
  }

  @Test
  void requestsInFlightAreTheLatenciesOfASecond() {
    service = service(1, 20, Metric.CONCURRENCY);
    scaling = Scaling.first(1);
    for (int i = 0; i < 12; i++) {
      sampled(10, 8_000);
    }
    assertThat(scaling.load()).isEqualTo(80);
    assertThat(scaling.wanted()).isEqualTo(4);
    assertThat(scaling.reason()).isEqualTo("80.0 requests in flight want 4");
  }

  @Test
  void otherBoundsApplyBeforeTheNextSample() {
    assertThat(minutes(200, 3)).isEqualTo(10);
    service = service(2, 6, Metric.RPS);
    ServiceState state =
        ServiceState.first(ID, new TenantId(new UUID(1, 2)), "prj/chat", "c.example")
            .measured(scaling, null);
    assertThat(state.wanted(service)).isEqualTo(6);
    sampled(200, 100);
    assertThat(scaling.wanted()).isEqualTo(6);
  }

  private ServiceTraffic traffic(int version, @Nullable Instant at, int ready) {
    TreeSet<JobId> jobs = new TreeSet<>();
    for (int i = 0; i < ready; i++) {
      jobs.add(new JobId(new UUID(version, i)));
    }
    return new ServiceTraffic(ID, version, new TrafficCount(5, 0, 50), at, jobs);
  }

  /** Fails when a part of the requests is taken for all. */
  @Test
  void theLoadIsKnownWhenEachReadyVersionIsCounted() {
    Instant before = now.minusSeconds(8);
    assertThat(Scaling.sample(List.of(traffic(1, now, 2), traffic(2, before, 1))))
        .isEqualTo(new Sample(before, 10, 100, null));
    assertThat(Scaling.sample(List.of(traffic(1, now, 2), traffic(2, null, 1)))).isNull();
    assertThat(Scaling.sample(List.of(traffic(1, now, 2), traffic(2, null, 0))))
        .isEqualTo(new Sample(now, 10, 100, null));
    assertThat(Scaling.sample(List.of(traffic(1, now, 0)))).isNull();
  }

  /** Fails when a removed cluster stops scaling forever, or a silent cluster counts. */
  @Test
  void clusterUnreachableForTenMinutesIsIgnored() {
    ServiceTraffic silent = traffic(1, now.minusSeconds(90), 1);
    ServiceTraffic gone = traffic(1, now.minusSeconds(900), 1);
    assertThat(ServiceTraffic.summed(List.of(traffic(1, now, 1), silent)))
        .extracting(ServiceTraffic::countedAt)
        .containsExactly(silent.countedAt());
    assertThat(ServiceTraffic.summed(List.of(gone, traffic(1, now, 1))))
        .extracting(ServiceTraffic::countedAt)
        .containsExactly(now);
    assertThat(ServiceTraffic.summed(List.of(traffic(1, null, 1), traffic(1, now, 1))))
        .extracting(ServiceTraffic::countedAt)
        .containsOnlyNulls();
  }
}
