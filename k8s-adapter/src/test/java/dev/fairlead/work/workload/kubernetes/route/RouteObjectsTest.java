package dev.fairlead.work.workload.kubernetes.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.TrafficGateway;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.serving.ModelServiceId;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRouteBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RouteObjectsTest {
  private static final OwnerReference FOREIGN =
      new OwnerReferenceBuilder()
          .withApiVersion("v1")
          .withKind("ConfigMap")
          .withName("other")
          .withUid("other")
          .build();

  private static NetworkPolicy policy(String route) {
    return new RouteObjects(
            new Installation(new UUID(1, 2), 1),
            new TrafficGateway("gateways", "inference", "gateways", null, null))
        .admission(
            new HTTPRouteBuilder()
                .withNewMetadata()
                .withName("fl-chat")
                .withNamespace("fairlead-nlp")
                .withUid(route)
                .endMetadata()
                .build(),
            new ModelServiceId(new UUID(0x7000, 0x8000)),
            7);
  }

  /**
   * Fails when each pass writes a policy to which others added an owner, which an apply retains.
   */
  @Test
  void policyWithAnotherOwnerIsNotWrittenAgain() {
    NetworkPolicy wanted = policy("route");
    NetworkPolicy there =
        new NetworkPolicyBuilder(wanted)
            .editMetadata()
            .addToOwnerReferences(0, FOREIGN)
            .endMetadata()
            .build();
    assertThat(RouteObjects.same(there, wanted)).isTrue();
  }

  /** Fails when the policy of a route that was created again is deleted with the earlier route. */
  @Test
  void policyOfAnEarlierRouteIsWritten() {
    assertThat(RouteObjects.same(policy("earlier"), policy("route"))).isFalse();
  }
}
