package dev.fairlead.fleet.cluster.connection;

import org.jspecify.annotations.Nullable;

/**
 * The Gateway of a cluster ({@code gateway.networking.k8s.io/v1}) that routes the requests of model
 * services.
 *
 * @param namespace namespace of the Gateway
 * @param name name of the Gateway
 * @param proxies namespace of its pods, from which replicas accept connections
 * @param metrics address at which its pods count requests, in the Prometheus text format, null if
 *     requests are not counted
 * @param gate takes the requests of services without a ready replica, null if none
 */
public record TrafficGateway(
    String namespace,
    String name,
    String proxies,
    @Nullable Prometheus metrics,
    @Nullable Gate gate) {
  /**
   * A Kubernetes Service of processes with the role {@code gate}. A ReferenceGrant must admit the
   * HTTPRoutes in the namespaces of projects.
   *
   * @param port port of the Service, 1 to 65535
   */
  public record Gate(String namespace, String name, int port) {}
}
