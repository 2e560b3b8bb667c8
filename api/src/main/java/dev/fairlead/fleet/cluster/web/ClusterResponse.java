package dev.fairlead.fleet.cluster.web;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.FleetSize;
import dev.fairlead.fleet.cluster.Window;
import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.cluster.connection.TrafficGateway;
import dev.fairlead.fleet.cluster.service.ClusterReadModel;
import dev.fairlead.kernel.resources.CapacityType;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A registered cluster. Its credentials are never shown.
 *
 * @param version version of its API server, null while unknown
 * @param lastSeenAt time of the last contact, null before the first
 * @param topologyLabels node labels that name topology domains, widest first, empty for the labels
 *     of the configuration
 * @param pinning binding of pods to their node
 * @param scoring choice of the node for a single member
 * @param window period when the cluster may be used, null for always
 * @param consolidation whether running jobs are moved so that a waiting job fits
 * @param rdmaResource resource name of the fabric, null if none
 * @param callback address at which its pods reach Fairlead, null if none
 * @param prometheus Prometheus with the GPU use of its pods, null if none
 * @param nodeLabelsAndTaints labels and taints for pools and quarantines on its nodes
 * @param gateway Gateway that routes the requests of model services, null if none
 * @param backend scheduler that chooses the nodes of pods
 * @param devices form of requests for whole GPUs
 * @param trouble error of the last contact, null if none
 */
@RecordBuilder
record ClusterResponse(
    String id,
    String name,
    ClusterKind kind,
    ClusterState state,
    CapacityType capacityType,
    SortedMap<String, BigDecimal> pricePerGpuHour,
    Instant createdAt,
    @Nullable Instant lastSeenAt,
    @Nullable String trouble,
    @Nullable String version,
    int nodes,
    int gpus,
    List<String> topologyLabels,
    ClusterSettings.Pinning pinning,
    @Nullable String rdmaResource,
    ClusterSettings.Scoring scoring,
    @Nullable WindowResponse window,
    ClusterSettings.Consolidation consolidation,
    @Nullable String callback,
    @Nullable PrometheusResponse prometheus,
    ClusterSettings.NodeLabelPolicy nodeLabelsAndTaints,
    @Nullable GatewayResponse gateway,
    PlacementBackend backend,
    PodDevices devices,
    @JsonIgnoreProperties({"serverVersion", "clusterDomain", "rightsAsked"})
        Capabilities capabilities) {
  private static final int MICRO_DIGITS = 6;

  /**
   * Period when a cluster may be used: a job starts only if it ends before the close.
   *
   * @param from start, null if none
   * @param until end, null if none
   */
  record WindowResponse(@Nullable Instant from, @Nullable Instant until) {
    static @Nullable WindowResponse of(Window window) {
      return window.always() ? null : new WindowResponse(window.from(), window.until());
    }
  }

  /**
   * Address of a Prometheus, or of metrics in its text format.
   *
   * @param caData base64 of the PEM certificates of its certificate authority, null for public
   *     authorities
   * @param faults true if faults in the series of its GPU exporter become health events, else null
   */
  record PrometheusResponse(String url, @Nullable String caData, @Nullable Boolean faults) {
    static @Nullable PrometheusResponse of(@Nullable Prometheus prometheus) {
      return prometheus == null
          ? null
          : new PrometheusResponse(
              prometheus.url(), prometheus.caData(), prometheus.faults() ? true : null);
    }
  }

  /**
   * The Gateway of model services.
   *
   * @param namespace namespace of the Gateway
   * @param name name of the Gateway
   * @param proxyNamespace namespace of its pods, which may connect to replicas
   * @param metrics address at which its pods count requests, null if none
   * @param gate takes the requests of services without a ready replica, null if none
   */
  record GatewayResponse(
      String namespace,
      String name,
      String proxyNamespace,
      @Nullable PrometheusResponse metrics,
      @Nullable GateResponse gate) {
    static @Nullable GatewayResponse of(@Nullable TrafficGateway gateway) {
      return gateway == null
          ? null
          : new GatewayResponse(
              gateway.namespace(),
              gateway.name(),
              gateway.proxies(),
              PrometheusResponse.of(gateway.metrics()),
              GateResponse.of(gateway.gate()));
    }
  }

  /**
   * The Kubernetes Service of the gate.
   *
   * @param namespace namespace of the Service
   * @param name name of the Service
   * @param port port of the Service
   */
  record GateResponse(String namespace, String name, int port) {
    static @Nullable GateResponse of(TrafficGateway.@Nullable Gate gate) {
      return gate == null ? null : new GateResponse(gate.namespace(), gate.name(), gate.port());
    }
  }

  static ClusterResponse of(ClusterReadModel view) {
    return of(view.cluster(), view.size());
  }

  static ClusterResponse of(Cluster cluster, FleetSize size) {
    SortedMap<String, BigDecimal> prices = new TreeMap<>();
    cluster
        .pricePerGpuHour()
        .forEach((model, micro) ->
            prices.put(model, BigDecimal.valueOf(micro, MICRO_DIGITS).stripTrailingZeros()));
    String version = cluster.capabilities().serverVersion();
    return ClusterResponseBuilder.builder()
        .id(cluster.id().text())
        .name(cluster.name())
        .kind(cluster.kind())
        .state(cluster.state())
        .capacityType(cluster.capacity())
        .pricePerGpuHour(prices)
        .createdAt(cluster.createdAt())
        .lastSeenAt(cluster.lastSeenAt())
        .trouble(cluster.trouble())
        .version(version.isEmpty() ? null : version)
        .nodes(size.nodes())
        .gpus(size.gpus())
        .topologyLabels(cluster.settings().topologyLabels())
        .pinning(cluster.settings().pinning())
        .rdmaResource(cluster.settings().rdmaResource())
        .scoring(cluster.settings().scoring())
        .window(WindowResponse.of(cluster.settings().window()))
        .consolidation(cluster.settings().consolidation())
        .callback(cluster.settings().callback())
        .prometheus(PrometheusResponse.of(cluster.settings().prometheus()))
        .nodeLabelsAndTaints(cluster.settings().nodeLabelsAndTaints())
        .gateway(GatewayResponse.of(cluster.settings().gateway()))
        .backend(cluster.settings().backend())
        .devices(cluster.settings().devices())
        .capabilities(cluster.capabilities())
        .build();
  }
}
