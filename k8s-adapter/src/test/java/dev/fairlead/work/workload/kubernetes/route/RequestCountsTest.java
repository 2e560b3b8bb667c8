package dev.fairlead.work.workload.kubernetes.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.kernel.egress.Cidr;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.FakeHosts;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceRoute;
import dev.fairlead.work.serving.TrafficCount;
import dev.fairlead.work.serving.traffic.RouteOptions;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RequestCountsTest {
  private static final ModelServiceId CHAT = new ModelServiceId(new UUID(0x7000, 0x8000));
  private final GatewayCounters gateway = new GatewayCounters(CHAT, "fairlead-nlp");
  private Instant now = Instant.parse("2030-01-01T00:00:00Z");
  private final RequestCounts counts =
      new RequestCounts(
          new EgressPolicy(List.of(Cidr.parse("10.0.0.0/8")), FakeHosts.LOOKUP),
          Duration.ofSeconds(1),
          () -> now);

  private static List<ServiceRoute> routes(Duration slowerThan) {
    return List.of(
        new ServiceRoute(
            CHAT,
            "chat.example.com",
            slowerThan,
            List.of(
                new ServiceRoute.Backend(1, 95, new TreeSet<>()),
                new ServiceRoute.Backend(2, 5, new TreeSet<>())),
            false,
            null,
            RouteOptions.NONE,
            null));
  }

  private TrafficCount scraped(Duration slowerThan, int version) {
    try {
      counts.add(gateway.text(), routes(slowerThan));
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
    return counts.of(CHAT, version);
  }

  private TrafficCount scraped(int version) {
    return scraped(Duration.ofMillis(800), version);
  }

  /** Fails when requests from before this process judge a version. */
  @Test
  void onlyRequestsBetweenTwoScrapesCount() {
    gateway.hundred(Map.of(1, 95, 2, 5));
    assertThat(scraped(1)).isEqualTo(TrafficCount.NONE);
    gateway.hundred(Map.of(1, 95, 2, 5));
    assertThat(scraped(1)).isEqualTo(new TrafficCount(95, 0, 0));
    assertThat(counts.of(CHAT, 2)).isEqualTo(new TrafficCount(5, 0, 0));
  }

  /** Fails when requests that another process counted under its epoch count again. */
  @Test
  void countRestartsInAnotherEpoch() {
    counts.under(7);
    assertThat(counts.countedAt()).isNull();
    assertThat(scraped(1)).isEqualTo(TrafficCount.NONE);
    gateway.hundred(Map.of(1, 100));
    assertThat(scraped(1).requests()).isEqualTo(100);

    counts.under(9);
    assertThat(counts.of(CHAT, 1)).isEqualTo(TrafficCount.NONE);
    assertThat(counts.countedAt()).isNull();
    gateway.hundred(Map.of(1, 100));
    assertThat(scraped(1)).isEqualTo(TrafficCount.NONE);
    gateway.hundred(Map.of(1, 100));
    counts.under(9);
    assertThat(scraped(1).requests()).isEqualTo(100);
    assertThat(counts.countedAt()).isEqualTo(now);
  }

  /** Fails when the requests of a long gap count as the requests of one interval. */
  @Test
  void countRestartsAfterALongGap() {
    counts.under(7);
    assertThat(scraped(1)).isEqualTo(TrafficCount.NONE);
    gateway.hundred(Map.of(1, 100));
    now = now.plusSeconds(240);
    counts.under(7);
    assertThat(scraped(1).requests()).isEqualTo(100);

    Instant last = now;
    gateway.hundred(Map.of(1, 100));
    now = now.plusSeconds(301);
    counts.under(7);
    assertThat(counts.countedAt()).isEqualTo(last);
    assertThat(scraped(1)).isEqualTo(TrafficCount.NONE);
    gateway.hundred(Map.of(1, 100));
    counts.under(7);
    assertThat(scraped(1).requests()).isEqualTo(100);
  }

  /** Fails when a possibly fast response counts as slow, or a slow error counts twice. */
  @Test
  void errorsAndResponsesAboveTheNextBucketBoundAreBad() {
    assertThat(scraped(1)).isEqualTo(TrafficCount.NONE);
    gateway.add(1, 200, "0.3", 10);
    gateway.add(1, 200, "1.2", 20);
    gateway.add(1, 200, "5", 30);
    gateway.add(1, 404, "+Inf", 1);
    gateway.add(1, 503, "5", 2);
    assertThat(scraped(1)).isEqualTo(new TrafficCount(63, 33, 0));
  }

  /** Fails when requests in flight are computed from a part of the latencies. */
  @Test
  void latenciesOfAllStatusesAddUp() {
    gateway.took(1, 200, 5);
    assertThat(scraped(1)).isEqualTo(TrafficCount.NONE);
    gateway.took(1, 200, 1.25);
    gateway.took(1, 503, 0.5);
    gateway.took(2, 200, 9);
    assertThat(scraped(1)).isEqualTo(new TrafficCount(0, 0, 1750));
  }

  @Test
  void aResponseIsNeverSlowAboveTheLastBound() {
    assertThat(scraped(Duration.ofMinutes(1), 1)).isEqualTo(TrafficCount.NONE);
    gateway.add(1, 200, "+Inf", 5);
    assertThat(scraped(Duration.ofMinutes(1), 1)).isEqualTo(new TrafficCount(5, 0, 0));
  }

  /** Fails when the counters of two pods behind one address count as the counters of one pod. */
  @Test
  void countsOfGatewayPodsAddUpAcrossRestarts() {
    GatewayCounters other = new GatewayCounters(CHAT, "fairlead-nlp");
    other.restarts("1.8e+09");
    for (int i = 0; i < 3; i++) {
      gateway.hundred(Map.of(1, 100));
      assertThat(scraped(1).requests()).isEqualTo(Math.max(0, i * 200L - 100));
      other.hundred(Map.of(1, 100));
      read(other.text());
      assertThat(counts.of(CHAT, 1).requests()).isEqualTo(i * 200L);
    }
    gateway.restarts("1.9e+09");
    assertThat(scraped(1).requests()).isEqualTo(400);
    gateway.hundred(Map.of(1, 100));
    assertThat(scraped(1).requests()).isEqualTo(500);
  }

  private void read(String text) {
    try {
      counts.add(text, routes(Duration.ofMillis(800)));
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  /** Fails when a new limit turns earlier responses into bad ones. */
  @Test
  void newLimitCountsFromItsFirstScrape() {
    assertThat(scraped(1)).isEqualTo(TrafficCount.NONE);
    gateway.add(1, 200, "1.2", 50);
    assertThat(scraped(1)).isEqualTo(new TrafficCount(50, 0, 0));
    assertThat(scraped(Duration.ofMillis(200), 1)).isEqualTo(new TrafficCount(50, 0, 0));
    gateway.add(1, 200, "1.2", 50);
    assertThat(scraped(Duration.ofMillis(200), 1)).isEqualTo(new TrafficCount(100, 50, 0));
  }

  @Test
  void unknownLinesAreSkippedAndMetricsOfAnotherProgramAreRejected() {
    assertThatThrownBy(() -> counts.add("go_goroutines 12\n", List.of()))
        .hasMessageContaining("process_start_time_seconds");
    read(gateway.text());
    gateway.hundred(Map.of(1, 100));
    read(gateway.text().replace("} ", "} x"));
    assertThat(counts.of(CHAT, 1)).isEqualTo(TrafficCount.NONE);
  }

  /** Fails when metrics can be read from an address that an operator has not allowed. */
  @Test
  void disallowedAddressIsNotCalled() {
    assertThat(counts.read(new Prometheus("https://127.0.0.1/metrics", null, false), List.of()))
        .hasValueSatisfying(why -> assertThat(why).contains("loopback"));
    assertThat(counts.read(new Prometheus("http://10.0.0.1/metrics", null, false), List.of()))
        .hasValueSatisfying(why -> assertThat(why).contains("must start with https://"));
  }
}
