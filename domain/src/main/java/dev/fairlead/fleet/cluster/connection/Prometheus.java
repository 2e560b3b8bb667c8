package dev.fairlead.fleet.cluster.connection;

import org.jspecify.annotations.Nullable;

/**
 * A Prometheus that scrapes the GPU exporter of a cluster, or an endpoint that such a server
 * scrapes.
 *
 * @param url starts with https, without a trailing slash
 * @param caData base64 of the PEM certificates that sign its certificate, null for public
 *     authorities
 * @param faults whether faults in the series of its GPU exporter become health events
 */
public record Prometheus(String url, @Nullable String caData, boolean faults) {}
