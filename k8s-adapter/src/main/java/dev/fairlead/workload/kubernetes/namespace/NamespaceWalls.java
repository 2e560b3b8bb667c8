package dev.fairlead.workload.kubernetes.namespace;

import dev.fairlead.cluster.Wall;
import dev.fairlead.lease.Installation;
import dev.fairlead.workload.kubernetes.call.ByName;
import dev.fairlead.workload.kubernetes.call.CallFailure;
import dev.fairlead.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What keeps the pods of a namespace in: its labels of Pod Security and its network policies. They
 * are put back where somebody changed or removed them. A wall that cannot be built is told and
 * stops nothing.
 */
public final class NamespaceWalls {
  private static final Logger LOG = LoggerFactory.getLogger(NamespaceWalls.class);
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private static final String API_SERVERS = "kubernetes";

  /** The same for all namespaces, so that it is written once. */
  public static final String NO_RIGHT =
      "Fairlead's identity has no right to build it; apply deploy/cluster.yaml, the doctor names"
          + " the rights";

  private final Installation installation;
  private final ClusterCalls calls;
  private final SortedMap<String, String> trouble = new ConcurrentSkipListMap<>();
  private final Set<String> whole = ConcurrentHashMap.newKeySet();
  private volatile SortedSet<Isolation.Server> servers = Collections.emptySortedSet();

  public NamespaceWalls(Installation installation, ClusterCalls calls) {
    this.installation = installation;
    this.calls = calls;
  }

  /** Why a wall, by its name, was not built in some namespace. */
  public SortedMap<String, String> trouble() {
    return new TreeMap<>(trouble);
  }

  /** A wall could not be built, or all of its kind could. */
  void tell(String wall, @Nullable String why) {
    if (why == null) {
      trouble.remove(wall);
    } else if (!why.equals(trouble.put(wall, why))) {
      LOG.warn("wall {} is not whole: {}", wall, why);
    }
  }

  /** A gang is launched without its policy. Told in words that are the same for all gangs. */
  public void gangOpen(String why) {
    String told = "it refuses the network policies of gangs, so that other pods reach these";
    if (trouble.putIfAbsent(Wall.NETWORK, told) == null) {
      LOG.warn("wall {} is not whole: {}", Wall.NETWORK, why);
    }
  }

  /** Every namespace of ours has these, whichever installation it belongs to. */
  static SortedMap<String, String> labels() {
    SortedMap<String, String> labels = new TreeMap<>();
    labels.put("pod-security.kubernetes.io/enforce", "restricted");
    labels.put("pod-security.kubernetes.io/enforce-version", "latest");
    return labels;
  }

  /**
   * @return why it was not possible; null when it has them
   */
  @Nullable String label(KubernetesClient client, Namespace there, Map<String, String> wanted) {
    Map<String, String> labels = there.getMetadata().getLabels();
    Map<String, String> has = labels == null ? Map.of() : labels;
    SortedMap<String, String> wrong = new TreeMap<>(wanted);
    wrong.entrySet().removeIf(label -> label.getValue().equals(has.get(label.getKey())));
    if (wrong.isEmpty()) {
      return null;
    }
    String entries =
        wrong.entrySet().stream()
            .map(label -> "\"" + label.getKey() + "\":\"" + label.getValue() + "\"")
            .collect(Collectors.joining(","));
    return built(() -> {
      calls.write(() ->
          client.resource(there).patch(MERGE, "{\"metadata\":{\"labels\":{" + entries + "}}}"));
      repaired(there.getMetadata().getName(), "labels " + wrong.keySet());
    });
  }

  /**
   * @param there the policies of the namespace that carry our labels
   * @return why it was not possible; null when it has them
   */
  @Nullable String isolate(
      KubernetesClient client, String namespace, Collection<NetworkPolicy> there) {
    Map<String, NetworkPolicy> named =
        there.stream()
            .collect(Collectors.toMap(policy -> policy.getMetadata().getName(), policy -> policy));
    String why = null;
    for (NetworkPolicy wanted : Isolation.of(installation, namespace, servers)) {
      NetworkPolicy old = named.get(wanted.getMetadata().getName());
      if (old == null || !Isolation.same(old, wanted)) {
        String failed = built(() -> put(client, old, wanted));
        why = failed == null ? why : failed;
      }
    }
    if (why == null) {
      whole.add(namespace);
    }
    return why;
  }

  private void put(KubernetesClient client, @Nullable NetworkPolicy old, NetworkPolicy wanted) {
    if (old != null) {
      wanted.getMetadata().setResourceVersion(old.getMetadata().getResourceVersion());
      calls.write(() -> client.resource(wanted).update());
    } else if (!created(client, wanted)) {
      // it is there without our labels
      NetworkPolicy hidden = calls.read(() -> client.resource(wanted).get());
      wanted.getMetadata().setResourceVersion(hidden.getMetadata().getResourceVersion());
      calls.write(() -> client.resource(wanted).update());
    }
    String namespace = wanted.getMetadata().getNamespace();
    if (whole.contains(namespace)) {
      repaired(namespace, "network policy " + wanted.getMetadata().getName());
    }
  }

  private boolean created(KubernetesClient client, NetworkPolicy wanted) {
    try {
      calls.write(() -> client.resource(wanted).create());
      return true;
    } catch (CallFailure failure) {
      if (failure.alreadyExists()) {
        return false;
      }
      throw failure;
    }
  }

  private void repaired(String namespace, String what) {
    LOG.warn("namespace {}: {} put back: changed there, or removed", namespace, what);
    calls.repaired();
  }

  private static @Nullable String built(Runnable build) {
    try {
      build.run();
      return null;
    } catch (CallFailure failure) {
      // gone, or changed at this moment: looked at again
      return failure.notFound() || failure.conflict() || failure.namespaceEnding()
          ? null
          : why(failure);
    }
  }

  static String why(CallFailure failure) {
    return failure.missingRight() ? NO_RIGHT : String.valueOf(failure.getMessage());
  }

  /** Looks up where the API server is; where that is not told pods may reach it. */
  void findServers(KubernetesClient client) {
    EndpointSlice slice =
        calls.read(() ->
            ByName.find(
                client
                    .discovery()
                    .v1()
                    .endpointSlices()
                    .inNamespace("default")
                    .withName(API_SERVERS)));
    SortedSet<Isolation.Server> found = new TreeSet<>();
    if (slice != null) {
      slice.getPorts().stream()
          .filter(port -> port.getPort() != null)
          .forEach(port ->
              slice.getEndpoints().stream()
                  .flatMap(endpoint -> endpoint.getAddresses().stream())
                  .forEach(address -> found.add(new Isolation.Server(address, port.getPort()))));
    }
    servers = Collections.unmodifiableSortedSet(found);
  }
}
