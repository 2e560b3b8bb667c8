package dev.fairlead.work.workload.kubernetes.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.TrafficGateway;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceRoute;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.serving.traffic.RouteOptions.Feature;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRouteRule;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Rules of the HTTPRoute of a service with a dark version and optional features. */
class RouteOptionsTest {
  private static final RouteOptions ALL = new RouteOptions(10, Duration.ofMinutes(2), 3);

  private static List<HTTPRouteRule> rules(int weight, Set<Feature> lacks) {
    ServiceRoute route =
        new ServiceRoute(
            new ModelServiceId(new UUID(0x7000, 0x8000)),
            "chat.example.com",
            Duration.ofSeconds(1),
            List.of(
                new ServiceRoute.Backend(1, 100 - weight, new TreeSet<>()),
                new ServiceRoute.Backend(2, weight, new TreeSet<>())),
            false,
            null,
            ALL,
            2);
    return new RouteObjects(
            new Installation(new UUID(1, 2), 1),
            new TrafficGateway("gateways", "inference", "gateways", null, null))
        .route(route, "fairlead-nlp", lacks, 7)
        .getSpec()
        .getRules();
  }

  /** Fails when requests without the header reach a dark version. */
  @Test
  void onlyRequestsWithItsNumberReachADarkVersion() {
    List<HTTPRouteRule> rules = rules(0, Set.of());
    assertThat(rules).hasSize(2);
    assertThat(rules.getFirst().getMatches().getFirst().getHeaders())
        .singleElement()
        .satisfies(header -> {
          assertThat(header.getName()).isEqualTo("Fairlead-Version");
          assertThat(header.getType()).isEqualTo("Exact");
          assertThat(header.getValue()).isEqualTo("2");
        });
    assertThat(rules.getFirst().getBackendRefs())
        .singleElement()
        .satisfies(backend -> assertThat(backend.getName()).endsWith("-v2"));
    assertThat(rules.getLast().getBackendRefs())
        .filteredOn(backend -> backend.getWeight() > 0)
        .singleElement()
        .satisfies(backend -> assertThat(backend.getName()).endsWith("-v1"));
  }

  @Test
  void aGatewayWithAllFeaturesGetsThem() {
    HTTPRouteRule all = rules(0, Set.of()).getLast();
    assertThat(all.getFilters())
        .singleElement()
        .satisfies(filter -> {
          assertThat(filter.getRequestMirror().getPercent()).isEqualTo(10);
          assertThat(filter.getRequestMirror().getBackendRef().getName()).endsWith("-v2");
        });
    assertThat(all.getTimeouts().getRequest()).isEqualTo("120s");
    assertThat(all.getRetry().getAttempts()).isEqualTo(3);
    assertThat(all.getRetry().getCodes()).containsExactly(502, 503, 504);
  }

  /** Fails when a field is written that the gateway does not know. */
  @Test
  void missingFeaturesAreLeftOut() {
    assertThat(rules(0, Set.of(Feature.values())))
        .allSatisfy(rule -> {
          assertThat(rule.getFilters()).isEmpty();
          assertThat(rule.getTimeouts()).isNull();
          assertThat(rule.getRetry()).isNull();
        });
    assertThat(rules(0, Set.of(Feature.PART_OF_MIRROR)).getLast().getFilters()).isEmpty();
  }

  @Test
  void aVersionWithTrafficGetsNoCopies() {
    assertThat(rules(5, Set.of()).getLast().getFilters()).isEmpty();
  }
}
