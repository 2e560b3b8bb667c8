package dev.fairlead.work.workload.kubernetes.route;

import dev.fairlead.fleet.cluster.connection.TrafficGateway;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceRoute;
import dev.fairlead.work.serving.traffic.RouteOptions.Feature;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPBackendRef;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPBackendRefBuilder;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRequestMirrorFilterBuilder;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRouteBuilder;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRouteFilterBuilder;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRouteRule;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRouteRuleBuilder;
import io.fabric8.kubernetes.api.model.gatewayapi.v1beta1.ReferenceGrant;
import io.fabric8.kubernetes.api.model.gatewayapi.v1beta1.ReferenceGrantBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeerBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The objects of one route: an HTTPRoute with the weights, and, owned by it, a headless Service for
 * each version and the network policy through which the gateway reaches the replicas. All defaults
 * of the API are written out, so that a spec that was read equals the written one.
 */
final class RouteObjects {
  private static final String API = "gateway.networking.k8s.io";
  private static final int SERVICE_PORT = 80;
  private static final int ALL = 100;

  /** Statuses after which another replica may answer. */
  private static final List<Integer> RETRIED = List.of(502, 503, 504);

  private final Installation installation;
  private final TrafficGateway gateway;

  RouteObjects(Installation installation, TrafficGateway gateway) {
    this.installation = installation;
    this.gateway = gateway;
  }

  /** Name of the HTTPRoute and of the network policy. */
  static String name(ModelServiceId service) {
    return ObjectNames.PREFIX + service.bare();
  }

  static String name(ModelServiceId service, int version) {
    return ServiceRoute.backendName(service, version);
  }

  /** Labels by which all objects of the installation's routes are listed. */
  SortedMap<String, String> selector() {
    return ObjectLabels.of(installation);
  }

  /**
   * @param lacks features that the gateway lacks, which are omitted
   */
  HTTPRoute route(ServiceRoute wanted, String namespace, Set<Feature> lacks, long epoch) {
    ModelServiceId service = wanted.service();
    TrafficGateway.Gate gate = wanted.gated() ? gateway.gate() : null;
    List<HTTPBackendRef> backends = gate != null ? List.of(backend(gate)) : versions(wanted);
    ObjectMetaBuilder meta = meta(name(service), namespace, service, epoch);
    Integer share = wanted.share();
    if (share != null) {
      ObjectMetaBuilder _ = meta.addToLabels(ObjectLabels.SHARE, share.toString());
    }
    return new HTTPRouteBuilder()
        .withMetadata(meta.build())
        .withNewSpec()
        .withHostnames(wanted.host())
        .addNewParentRef()
        .withGroup(API)
        .withKind("Gateway")
        .withNamespace(gateway.namespace())
        .withName(gateway.name())
        .endParentRef()
        .withRules(rules(wanted, backends, lacks))
        .endSpec()
        .build();
  }

  /** A rule for requests that name their version, before the rule of all others. */
  private static List<HTTPRouteRule> rules(
      ServiceRoute wanted, List<HTTPBackendRef> backends, Set<Feature> lacks) {
    List<HTTPRouteRule> rules = new ArrayList<>();
    Integer dark = wanted.dark();
    if (dark != null) {
      rules.add(
          options(wanted, lacks)
              .addNewMatch()
              .withNewPath("PathPrefix", "/")
              .addNewHeader(ServiceRoute.VERSION_HEADER, "Exact", dark.toString())
              .endMatch()
              .withBackendRefs(backend(wanted, dark, 1))
              .build());
    }
    HTTPRouteRuleBuilder all =
        options(wanted, lacks)
            .addNewMatch()
            .withNewPath("PathPrefix", "/")
            .endMatch()
            .withBackendRefs(backends);
    Integer percent = wanted.options().mirror();
    boolean part = percent != null && percent < ALL;
    if (percent != null
        && dark != null
        && wanted.mirrored()
        && !lacks.contains(Feature.MIRROR)
        && !(part && lacks.contains(Feature.PART_OF_MIRROR))) {
      HTTPRequestMirrorFilterBuilder mirror =
          new HTTPRequestMirrorFilterBuilder()
              .withNewBackendRef()
              .withGroup("")
              .withKind("Service")
              .withName(name(wanted.service(), dark))
              .withPort(SERVICE_PORT)
              .endBackendRef();
      HTTPRouteRuleBuilder _ =
          all.addToFilters(
              new HTTPRouteFilterBuilder()
                  .withType("RequestMirror")
                  .withRequestMirror(part ? mirror.withPercent(percent).build() : mirror.build())
                  .build());
    }
    rules.add(all.build());
    return rules;
  }

  private static HTTPRouteRuleBuilder options(ServiceRoute wanted, Set<Feature> lacks) {
    HTTPRouteRuleBuilder rule = new HTTPRouteRuleBuilder();
    Duration timeout = wanted.options().timeout();
    if (timeout != null && !lacks.contains(Feature.TIMEOUT)) {
      HTTPRouteRuleBuilder _ =
          rule.withNewTimeouts().withRequest(timeout.toSeconds() + "s").endTimeouts();
    }
    Integer retries = wanted.options().retries();
    if (retries != null && !lacks.contains(Feature.RETRIES)) {
      HTTPRouteRuleBuilder _ =
          rule.withNewRetry().withAttempts(retries).withCodes(RETRIED).endRetry();
    }
    return rule;
  }

  private static List<HTTPBackendRef> versions(ServiceRoute wanted) {
    return wanted.backends().stream()
        .map(backend -> backend(wanted, backend.version(), wanted.gated() ? 0 : backend.weight()))
        .toList();
  }

  private static HTTPBackendRef backend(ServiceRoute wanted, int version, int weight) {
    return new HTTPBackendRefBuilder()
        .withGroup("")
        .withKind("Service")
        .withName(name(wanted.service(), version))
        .withPort(SERVICE_PORT)
        .withWeight(weight)
        .build();
  }

  private static HTTPBackendRef backend(TrafficGateway.Gate gate) {
    return new HTTPBackendRefBuilder()
        .withGroup("")
        .withKind("Service")
        .withNamespace(gate.namespace())
        .withName(gate.name())
        .withPort(gate.port())
        .withWeight(1)
        .build();
  }

  /**
   * Returns the permission for a namespace's routes to reach the gate, empty without such a route.
   */
  Optional<ReferenceGrant> grant(ServiceRoute wanted, String namespace) {
    TrafficGateway.Gate gate = wanted.gated() ? gateway.gate() : null;
    return Optional.ofNullable(gate)
        .map(to ->
            new ReferenceGrantBuilder()
                .withNewMetadata()
                .withName(namespace)
                .withNamespace(to.namespace())
                .endMetadata()
                .withNewSpec()
                .addNewFrom(API, "HTTPRoute", namespace)
                .addNewTo("", "Service", to.name())
                .endSpec()
                .build());
  }

  /** Returns the Service of a version, which selects its pods by labels that only Fairlead sets. */
  Service backend(HTTPRoute route, ModelServiceId service, int version, long epoch) {
    return new ServiceBuilder()
        .withMetadata(
            owned(route, name(service, version), service, epoch)
                .addToLabels(ObjectLabels.SERVICE_VERSION, Integer.toString(version))
                .build())
        .withNewSpec()
        .withClusterIP("None")
        .withSelector(pods(service))
        .addToSelector(ObjectLabels.SERVICE_VERSION, Integer.toString(version))
        .addNewPort()
        .withName("http")
        .withProtocol("TCP")
        .withPort(SERVICE_PORT)
        .withTargetPort(new IntOrString(ObjectNames.SERVING_PORT))
        .endPort()
        .endSpec()
        .build();
  }

  /**
   * Returns the policy that admits the pods of the gateway and of the gate to the port of the
   * replicas.
   */
  NetworkPolicy admission(HTTPRoute route, ModelServiceId service, long epoch) {
    return new NetworkPolicyBuilder()
        .withMetadata(owned(route, name(service), service, epoch).build())
        .withNewSpec()
        .withNewPodSelector()
        .withMatchLabels(pods(service))
        .endPodSelector()
        .addNewIngress()
        .withFrom(admitted())
        .addNewPort()
        .withProtocol("TCP")
        .withPort(new IntOrString(ObjectNames.SERVING_PORT))
        .endPort()
        .endIngress()
        .withPolicyTypes("Ingress")
        .endSpec()
        .build();
  }

  /** The namespaces of the gateway and of the gate. */
  private List<NetworkPolicyPeer> admitted() {
    TrafficGateway.Gate gate = gateway.gate();
    return Stream.of(gateway.proxies(), gate == null ? gateway.proxies() : gate.namespace())
        .distinct()
        .map(namespace ->
            new NetworkPolicyPeerBuilder()
                .withNewNamespaceSelector()
                .addToMatchLabels("kubernetes.io/metadata.name", namespace)
                .endNamespaceSelector()
                .build())
        .toList();
  }

  /** Returns whether the Service selects the same pods and ports for the same route. */
  static boolean same(Service there, Service wanted) {
    return ObjectLabels.sameIdentity(there, wanted)
        && owner(there).equals(owner(wanted))
        && wanted.getSpec().getSelector().equals(there.getSpec().getSelector())
        && wanted.getSpec().getPorts().equals(there.getSpec().getPorts());
  }

  /**
   * Returns whether the policy admits the same for the same route. A server-side apply retains
   * other owners.
   */
  static boolean same(NetworkPolicy there, NetworkPolicy wanted) {
    return ObjectLabels.sameIdentity(there, wanted)
        && there.getMetadata().getOwnerReferences().stream()
            .anyMatch(owner -> owner.getUid().equals(owner(wanted)))
        && wanted.getSpec().equals(there.getSpec());
  }

  private static String owner(HasMetadata object) {
    return object.getMetadata().getOwnerReferences().stream()
        .map(OwnerReference::getUid)
        .findFirst()
        .orElse("");
  }

  private SortedMap<String, String> pods(ModelServiceId service) {
    SortedMap<String, String> labels = new TreeMap<>();
    labels.put(ObjectLabels.INSTALLATION, installation.label());
    labels.put(ObjectLabels.SERVICE, service.bare());
    return labels;
  }

  private ObjectMetaBuilder owned(
      HTTPRoute route, String name, ModelServiceId service, long epoch) {
    ObjectMeta owner = route.getMetadata();
    return meta(name, owner.getNamespace(), service, epoch)
        .withOwnerReferences(
            new OwnerReferenceBuilder()
                .withApiVersion(API + "/v1")
                .withKind("HTTPRoute")
                .withName(owner.getName())
                .withUid(owner.getUid())
                .withController(true)
                .build());
  }

  private ObjectMetaBuilder meta(
      String name, String namespace, ModelServiceId service, long epoch) {
    return new ObjectMetaBuilder()
        .withName(name)
        .withNamespace(namespace)
        .withLabels(selector())
        .addToLabels(ObjectLabels.SERVICE, service.bare())
        .addToLabels(ObjectLabels.EPOCH, Long.toString(epoch));
  }
}
