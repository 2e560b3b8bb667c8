package dev.fairlead.fleet.cluster.connection;

import org.jspecify.annotations.Nullable;

/**
 * The Gateway of a cluster ({@code gateway.networking.k8s.io/v1}) that routes the requests of model
 * services.
 *
 * @param namespace of the Gateway
 * @param name of the Gateway
 * @param proxies namespace of its pods, from which replicas accept connections
 * @param metrics address at which its pods count requests, in the text format of Prometheus, null
 *     if requests are not counted
 */
public record TrafficGateway(
    String namespace, String name, String proxies, @Nullable Prometheus metrics) {}
