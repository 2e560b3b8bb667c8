package dev.fairlead.work.workload.kubernetes.route;

import dev.fairlead.fleet.cluster.connection.TrafficGateway;
import dev.fairlead.work.serving.traffic.RouteOptions.Feature;
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
import java.util.SortedMap;
import java.util.TreeMap;

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
   * Properties of the gateway.
   *
   * @param refusal why no route is written, empty if routes are. A class that reports no features
   *     at all is accepted, because the field is newer than the weights
   * @param lacks why the gateway lacks an optional feature. A class that reports no features lacks
   *     each of them
   */
  record Finding(Optional<String> refusal, SortedMap<Feature, String> lacks) {
    static Finding refused(String why) {
      return new Finding(Optional.of(why), new TreeMap<>());
    }
  }

  /**
   * @throws CallFailure if the cluster does not answer
   */
  static Finding of(KubernetesClient client, ClusterCalls calls, TrafficGateway wanted) {
    String name = wanted.namespace() + "/" + wanted.name();
    Gateway gateway =
        calls.read(() ->
            ByName.find(
                client
                    .resources(Gateway.class)
                    .inNamespace(wanted.namespace())
                    .withName(wanted.name())));
    if (gateway == null) {
      return Finding.refused("there is no Gateway " + name);
    }
    String className = gateway.getSpec().getGatewayClassName();
    GatewayClass of =
        calls.read(() -> ByName.find(client.resources(GatewayClass.class).withName(className)));
    String which = "GatewayClass " + ReportedText.words(className, LONGEST);
    if (of == null) {
      return Finding.refused("Gateway " + name + " has the " + which + ", which does not exist");
    }
    List<String> features =
        of.getStatus() == null
            ? List.of()
            : of.getStatus().getSupportedFeatures().stream()
                .map(SupportedFeature::getName)
                .toList();
    if (!features.isEmpty() && !features.contains(WEIGHTS)) {
      return Finding.refused(
          which
              + " does not support weighted traffic: its supportedFeatures lack "
              + WEIGHTS
              + ". Set a Gateway of another class in the registration of the cluster");
    }
    SortedMap<Feature, String> lacks = new TreeMap<>();
    for (Feature feature : Feature.values()) {
      if (!features.contains(feature.supported())) {
        lacks.put(
            feature,
            "%s does not support %s: its supportedFeatures lack %s"
                .formatted(which, feature.field(), feature.supported()));
      }
    }
    return new Finding(Optional.empty(), lacks);
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
