package dev.fairlead.work.workload.kubernetes.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.TrafficGateway;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceRoute;
import dev.fairlead.work.serving.traffic.RouteOptions;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPBackendRef;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The HTTPRoute of a service that requires keys. */
class GatedRouteTest {
  private static final ServiceRoute KEYS =
      new ServiceRoute(
          new ModelServiceId(new UUID(0x7000, 0x8000)),
          "chat.example.com",
          Duration.ofSeconds(1),
          List.of(new ServiceRoute.Backend(1, 100, new TreeSet<>())),
          true,
          null,
          RouteOptions.NONE,
          null);

  private static List<HTTPBackendRef> backends(TrafficGateway.@Nullable Gate gate) {
    RouteObjects objects =
        new RouteObjects(
            new Installation(new UUID(1, 2), 1),
            new TrafficGateway("gateways", "inference", "gateways", null, gate));
    return objects
        .route(KEYS, "fairlead-nlp", Set.of(), 7)
        .getSpec()
        .getRules()
        .getFirst()
        .getBackendRefs();
  }

  /** Fails when requests reach replicas without a check of their key. */
  @Test
  void allTrafficIsRoutedToTheGate() {
    assertThat(backends(new TrafficGateway.Gate("fairlead-system", "fairlead-gate", 80)))
        .hasSize(1)
        .allSatisfy(each -> assertThat(each.getName()).isEqualTo("fairlead-gate"));
  }

  /** Fails when a cluster without a gate serves requests without keys. */
  @Test
  void noReplicaGetsARequestWithoutAGate() {
    assertThat(backends(null)).hasSize(1).allSatisfy(each -> assertThat(each.getWeight()).isZero());
  }
}
