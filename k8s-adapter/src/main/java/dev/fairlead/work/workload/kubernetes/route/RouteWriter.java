package dev.fairlead.work.workload.kubernetes.route;

import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceRoute;
import dev.fairlead.work.serving.traffic.RouteOptions.Feature;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ReportedText;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import dev.fairlead.work.workload.kubernetes.namespace.ServerSideApply;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRouteSpec;
import io.fabric8.kubernetes.api.model.gatewayapi.v1beta1.ReferenceGrant;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the objects of all routes of an installation if they differ. HTTPRoutes are written by
 * server-side apply: a field that another manager has taken is reported and written again. Not
 * thread-safe.
 */
final class RouteWriter {
  private static final Logger LOG = LoggerFactory.getLogger(RouteWriter.class);
  private static final int LONGEST = 300;
  private final ClusterCalls calls;
  private final ServerSideApply apply;
  private final RouteObjects objects;

  /** Specs as the cluster stored them, by UID. */
  private final Map<String, HTTPRouteSpec> written = new HashMap<>();

  /**
   * Namespaces of services. A sleeping service has no pods, so a route that was deleted by hand
   * would be lost.
   */
  private final Map<ModelServiceId, String> known = new HashMap<>();

  /** Grants that this process has seen or written, by namespace and name. */
  private final Set<String> granted = new HashSet<>();

  RouteWriter(ClusterCalls calls, RouteObjects objects) {
    this.calls = calls;
    apply = new ServerSideApply(calls);
    this.objects = objects;
  }

  /** The objects on the cluster, by namespace and name. */
  private record There(
      SortedMap<String, HTTPRoute> routes,
      SortedMap<String, Service> services,
      SortedMap<String, NetworkPolicy> policies) {}

  /**
   * Replaces the routes of the installation. A failure of one route does not stop the others.
   *
   * @param namespaces namespace of a service, empty while it has no pods
   * @param lacks features that the gateway does not have
   * @return the first problem, empty if all routes are in the desired state
   * @throws CallFailure if the routes cannot be listed
   */
  Optional<String> write(
      KubernetesClient client,
      List<ServiceRoute> routes,
      Function<ModelServiceId, Optional<String>> namespaces,
      Set<Feature> lacks,
      long epoch) {
    There there = there(client);
    Map<String, HTTPRoute> others = new HashMap<>(there.routes());
    Map<ServiceRoute, String> placed = new LinkedHashMap<>();
    for (ServiceRoute route : routes) {
      String name = RouteObjects.name(route.service());
      namespaces
          .apply(route.service())
          .or(() -> namespaceOf(there, name))
          .or(() -> Optional.ofNullable(known.get(route.service())))
          .ifPresent(namespace -> placed.put(route, namespace));
    }
    known.clear();
    placed.forEach((route, namespace) -> known.put(route.service(), namespace));
    Optional<String> trouble = grants(client, placed);
    for (var each : placed.entrySet()) {
      others.remove(each.getValue() + "/" + RouteObjects.name(each.getKey().service()));
      Optional<String> its =
          one(
              client,
              there,
              each.getKey(),
              objects.route(each.getKey(), each.getValue(), lacks, epoch),
              epoch);
      trouble = trouble.isPresent() ? trouble : its;
    }
    for (HTTPRoute left : others.values()) {
      Optional<String> its = guarded("HTTPRoute " + key(left), () -> remove(client, left));
      trouble = trouble.isPresent() ? trouble : its;
    }
    others.values().forEach(gone -> written.remove(gone.getMetadata().getUid()));
    return trouble;
  }

  private There there(KubernetesClient client) {
    return new There(
        named(
            calls.read(() ->
                client
                    .resources(HTTPRoute.class)
                    .inAnyNamespace()
                    .withLabels(objects.selector())
                    .withLabel(ObjectLabels.SERVICE)
                    .list()
                    .getItems())),
        named(
            calls.read(() ->
                client
                    .services()
                    .inAnyNamespace()
                    .withLabels(objects.selector())
                    .withLabel(ObjectLabels.SERVICE)
                    .list()
                    .getItems())),
        named(
            calls.read(() ->
                client
                    .network()
                    .v1()
                    .networkPolicies()
                    .inAnyNamespace()
                    .withLabels(objects.selector())
                    .withLabel(ObjectLabels.SERVICE)
                    .list()
                    .getItems())));
  }

  private static <T extends HasMetadata> SortedMap<String, T> named(List<T> objects) {
    SortedMap<String, T> named = new TreeMap<>();
    objects.forEach(object -> named.put(key(object), object));
    return named;
  }

  private static String key(HasMetadata object) {
    return object.getMetadata().getNamespace() + "/" + object.getMetadata().getName();
  }

  /** A route stays unchanged while its pods are briefly absent. */
  private static Optional<String> namespaceOf(There there, String name) {
    return there.routes().values().stream()
        .filter(route -> route.getMetadata().getName().equals(name))
        .map(route -> route.getMetadata().getNamespace())
        .findFirst();
  }

  private Optional<String> one(
      KubernetesClient client, There there, ServiceRoute route, HTTPRoute wanted, long epoch) {
    return guarded(
        "HTTPRoute " + key(wanted),
        () -> {
          HTTPRoute now = applied(client, wanted, there.routes().get(key(wanted)));
          admit(client, there, route, now, epoch);
          backends(client, there, route, now, epoch);
          return notAccepted(now);
        });
  }

  private static Optional<String> guarded(String object, Supplier<Optional<String>> work) {
    try {
      return work.get();
    } catch (CallFailure failure) {
      return Optional.of(object + ": " + GatewayCheck.why(failure));
    }
  }

  /**
   * Writes the permissions of namespaces to lead to the gate. They are compared like routes. A
   * failure of one does not stop the others.
   */
  private Optional<String> grants(KubernetesClient client, Map<ServiceRoute, String> placed) {
    SortedMap<String, ReferenceGrant> wanted = new TreeMap<>();
    placed.forEach((route, namespace) ->
        objects.grant(route, namespace).ifPresent(grant -> wanted.put(key(grant), grant)));
    if (wanted.isEmpty()) {
      return Optional.empty();
    }
    String of = wanted.firstEntry().getValue().getMetadata().getNamespace();
    return guarded("ReferenceGrants of namespace " + of, () -> grants(client, of, wanted));
  }

  private Optional<String> grants(
      KubernetesClient client, String namespace, SortedMap<String, ReferenceGrant> wanted) {
    SortedMap<String, ReferenceGrant> there =
        named(
            calls.read(() ->
                client.resources(ReferenceGrant.class).inNamespace(namespace).list().getItems()));
    Optional<String> trouble = Optional.empty();
    for (var each : wanted.entrySet()) {
      Optional<String> its =
          guarded(
              "ReferenceGrant " + each.getKey(),
              () -> {
                grant(client, each.getValue(), there.get(each.getKey()));
                return Optional.empty();
              });
      trouble = trouble.isPresent() ? trouble : its;
    }
    return trouble;
  }

  private void grant(
      KubernetesClient client, ReferenceGrant wanted, @Nullable ReferenceGrant there) {
    if (there == null || !wanted.getSpec().equals(there.getSpec())) {
      ReferenceGrant _ = apply.apply(client, wanted);
      if (granted.contains(key(wanted))) {
        LOG.warn("ReferenceGrant {} was changed and is restored", key(wanted));
        calls.repaired();
      }
    }
    granted.add(key(wanted));
  }

  private HTTPRoute applied(KubernetesClient client, HTTPRoute wanted, @Nullable HTTPRoute there) {
    if (there != null
        && there.getSpec().equals(wanted.getSpec())
        && ObjectLabels.sameIdentity(there, wanted)) {
      return stored(there);
    }
    HTTPRouteSpec before = there == null ? null : written.get(there.getMetadata().getUid());
    boolean changed = there != null && before != null && !before.equals(there.getSpec());
    try {
      HTTPRoute now =
          calls.write(() ->
              client.resource(wanted).fieldManager(ServerSideApply.MANAGER).serverSideApply());
      if (changed) {
        repaired("HTTPRoute " + key(wanted) + " was changed by another manager");
      }
      return stored(now);
    } catch (CallFailure failure) {
      if (!failure.conflict()) {
        throw failure;
      }
      repaired("HTTPRoute " + key(wanted) + ": " + failure.getMessage());
    }
    return stored(apply.apply(client, wanted));
  }

  private HTTPRoute stored(HTTPRoute now) {
    written.put(now.getMetadata().getUid(), now.getSpec());
    return now;
  }

  private void repaired(String what) {
    LOG.warn("{}, so it is restored with the weights of its rollout", what);
    calls.repaired();
  }

  private void admit(
      KubernetesClient client, There there, ServiceRoute route, HTTPRoute owner, long epoch) {
    NetworkPolicy wanted = objects.admission(owner, route.service(), epoch);
    NetworkPolicy present = there.policies().get(key(wanted));
    if (present != null && RouteObjects.same(present, wanted)) {
      return;
    }
    NetworkPolicy _ = apply.apply(client, wanted);
    if (present != null) {
      LOG.warn("network policy {} was changed and is restored", key(wanted));
      calls.repaired();
    }
  }

  /** A changed Service is deleted and created in the next pass, without a right to update it. */
  private void backends(
      KubernetesClient client, There there, ServiceRoute route, HTTPRoute owner, long epoch) {
    Map<String, Service> left = new HashMap<>();
    there
        .services()
        .forEach((key, service) -> {
          if (route.service().bare().equals(labels(service).get(ObjectLabels.SERVICE))) {
            left.put(key, service);
          }
        });
    for (ServiceRoute.Backend backend : route.backends()) {
      Service wanted = objects.backend(owner, route.service(), backend.version(), epoch);
      Service present = left.get(key(wanted));
      if (present == null) {
        Service _ = calls.write(() -> client.resource(wanted).create());
      } else if (RouteObjects.same(present, wanted)) {
        left.remove(key(wanted));
      } else {
        LOG.warn("Service {} was changed and is recreated", key(wanted));
        calls.repaired();
      }
    }
    for (Service stale : left.values()) {
      delete(client, stale);
    }
  }

  private static Map<String, String> labels(HasMetadata object) {
    return object.getMetadata().getLabels() == null ? Map.of() : object.getMetadata().getLabels();
  }

  /** Its Services and its policy follow, because it owns them. */
  private Optional<String> remove(KubernetesClient client, HTTPRoute route) {
    delete(client, route);
    return Optional.empty();
  }

  private void delete(KubernetesClient client, HasMetadata object) {
    List<StatusDetails> _ = calls.write(() -> client.resource(object).delete());
  }

  /** Returns the gateway's reason for a route that it does not serve. */
  private static Optional<String> notAccepted(HTTPRoute route) {
    return route.getStatus() == null
        ? Optional.empty()
        : route.getStatus().getParents().stream()
            .flatMap(parent -> parent.getConditions().stream())
            .filter(condition ->
                "Accepted".equals(condition.getType()) && "False".equals(condition.getStatus()))
            .findFirst()
            .map(condition ->
                "the gateway does not accept HTTPRoute %s: %s: %s"
                    .formatted(
                        key(route),
                        ReportedText.words(condition.getReason(), LONGEST),
                        ReportedText.words(condition.getMessage(), LONGEST)));
  }
}
