package dev.fairlead.work.workload.kubernetes.route;

import dev.fairlead.fleet.cluster.connection.TrafficGateway;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.NextStep;
import dev.fairlead.work.workload.kubernetes.call.ReportedText;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.Gateway;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.GatewayClass;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.SupportedFeature;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Optional;

/** Checks that the Gateway exists and that its class divides traffic by weights. */
final class GatewayCheck {
  /**
   * The feature that includes weights of backends, which are core support of HTTPRoutes
   * (https://gateway-api.sigs.k8s.io/guides/traffic-splitting).
   */
  private static final String WEIGHTS = "HTTPRoute";

  private static final int LONGEST = 200;

  private GatewayCheck() {}

  /**
   * Returns why no route is written, empty if routes are. A class that reports no features at all
   * is accepted, because the field is newer than the weights.
   *
   * @throws CallFailure if the cluster does not answer
   */
  static Optional<String> refusal(
      KubernetesClient client, ClusterCalls calls, TrafficGateway wanted) {
    String name = wanted.namespace() + "/" + wanted.name();
    Gateway gateway =
        calls.read(() ->
            ByName.find(
                client
                    .resources(Gateway.class)
                    .inNamespace(wanted.namespace())
                    .withName(wanted.name())));
    if (gateway == null) {
      return Optional.of("there is no Gateway " + name);
    }
    String className = gateway.getSpec().getGatewayClassName();
    GatewayClass of =
        calls.read(() -> ByName.find(client.resources(GatewayClass.class).withName(className)));
    String which = "GatewayClass " + ReportedText.words(className, LONGEST);
    if (of == null) {
      return Optional.of("Gateway " + name + " has the " + which + ", which does not exist");
    }
    List<String> features =
        of.getStatus() == null
            ? List.of()
            : of.getStatus().getSupportedFeatures().stream()
                .map(SupportedFeature::getName)
                .toList();
    return features.isEmpty() || features.contains(WEIGHTS)
        ? Optional.empty()
        : Optional.of(
            which
                + " does not support weighted traffic: its supportedFeatures lack "
                + WEIGHTS
                + ". Set a Gateway of another class in the registration of the cluster");
  }

  /** Returns the failure with the next step. */
  static String why(CallFailure failure) {
    if (failure.missingRight()) {
      return failure.getMessage() + ". Apply deploy/cluster-serving.yaml on the cluster.";
    }
    return failure.code() == HttpURLConnection.HTTP_NOT_FOUND
        ? "the cluster has no Gateway API: install the CRDs of gateway.networking.k8s.io/v1"
        : NextStep.of(failure);
  }
}
