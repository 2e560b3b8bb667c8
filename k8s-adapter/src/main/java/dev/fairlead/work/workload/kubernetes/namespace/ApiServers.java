package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The addresses of a cluster's API server, which pods of jobs must not reach. */
final class ApiServers {
  static final String NAME = "kubernetes";

  private final ClusterCalls calls;

  /** Empty while they are unknown. */
  private volatile SortedSet<Isolation.Server> known = Collections.emptySortedSet();

  ApiServers(ClusterCalls calls) {
    this.calls = calls;
  }

  SortedSet<Isolation.Server> known() {
    return known;
  }

  void begin() {
    known = Collections.emptySortedSet();
  }

  /**
   * Looks up the addresses. A server that shuts down removes its address, so the last known
   * addresses remain until others are found.
   *
   * @return whether they are known
   * @throws CallFailure if the cluster does not answer
   */
  boolean find(KubernetesClient client) {
    SortedSet<Isolation.Server> found =
        servers(
            calls.read(() ->
                ByName.find(
                    client
                        .discovery()
                        .v1()
                        .endpointSlices()
                        .inNamespace("default")
                        .withName(NAME))));
    if (!found.isEmpty()) {
      known = Collections.unmodifiableSortedSet(found);
    }
    return !known.isEmpty();
  }

  private static SortedSet<Isolation.Server> servers(@Nullable EndpointSlice slice) {
    SortedSet<Isolation.Server> found = new TreeSet<>();
    if (slice != null) {
      slice.getPorts().stream()
          .filter(port -> port.getPort() != null)
          .forEach(port ->
              slice.getEndpoints().stream()
                  .flatMap(endpoint -> endpoint.getAddresses().stream())
                  .forEach(address -> found.add(new Isolation.Server(address, port.getPort()))));
    }
    return found;
  }
}
