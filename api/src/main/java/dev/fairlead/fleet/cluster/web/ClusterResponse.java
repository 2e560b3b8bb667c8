package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.FleetSize;
import dev.fairlead.fleet.cluster.GpuComponent;
import dev.fairlead.fleet.cluster.Prometheus;
import dev.fairlead.fleet.cluster.Wall;
import dev.fairlead.fleet.cluster.Window;
import dev.fairlead.fleet.cluster.service.ClusterView;
import dev.fairlead.fleet.node.GpuIdentity;
import dev.fairlead.kernel.resources.CapacityType;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A registered cluster; its credentials are never shown.
 *
 * @param version of its API server, null while unknown
 * @param lastSeenAt time of the last contact, null before the first
 * @param topologyLabels node labels that name topology domains, widest first; empty for those of
 *     the configuration
 * @param pinning how pods get to their node
 * @param scoring which node a single member gets
 * @param window when it may be used, null for always
 * @param consolidation whether running jobs are moved so that one that waits fits
 * @param rdmaResource name under which nodes offer a fabric, null without
 * @param callback address under which its pods reach Fairlead, null where they do not
 * @param prometheus which tells what its pods make of their GPUs, null without
 * @param nodeMarks what its nodes show of their pools and quarantines
 * @param trouble what went wrong at the last contact, null when all is well
 */
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
    ClusterSettings.NodeMarking nodeMarks,
    CapabilitiesResponse capabilities) {
  private static final int MICRO_DIGITS = 6;

  /**
   * When a cluster may be used: a job starts there only when it ends before it closes.
   *
   * @param from null = since ever
   * @param until null = for ever
   */
  record WindowResponse(@Nullable Instant from, @Nullable Instant until) {
    static @Nullable WindowResponse of(Window window) {
      return window.always() ? null : new WindowResponse(window.from(), window.until());
    }
  }

  /**
   * Where a Prometheus is asked.
   *
   * @param caData base64 of the PEM certificates that sign its own, null for the public ones
   */
  record PrometheusResponse(String url, @Nullable String caData) {
    static @Nullable PrometheusResponse of(@Nullable Prometheus prometheus) {
      return prometheus == null
          ? null
          : new PrometheusResponse(prometheus.url(), prometheus.caData());
    }
  }

  /**
   * What it can do, as found out by asking it.
   *
   * @param fence whether the cluster itself refuses what a replaced supervisor creates
   * @param reasons why something is not offered or not known, by its name
   * @param walls what keeps jobs and Fairlead from what they may not do there; empty before the
   *     first contact
   * @param gpuStack the software for GPUs; empty until it was looked at
   * @param nodeMarks whether a node shows a pool or quarantine of Fairlead's
   */
  record CapabilitiesResponse(
      Capabilities.Fence fence,
      GpuIdentity gpuIdentity,
      boolean sharing,
      boolean mig,
      boolean networkPolicy,
      boolean dra,
      boolean priorityClasses,
      List<String> storageClasses,
      List<String> topologyLevels,
      SortedMap<String, String> reasons,
      List<WallResponse> walls,
      List<GpuComponentResponse> gpuStack,
      Capabilities.Marks nodeMarks) {
    static CapabilitiesResponse of(Capabilities can) {
      return new CapabilitiesResponse(
          can.fence(),
          can.gpuIdentity(),
          can.sharing(),
          can.mig(),
          can.networkPolicy(),
          can.dra(),
          can.priorityClasses(),
          can.storageClasses(),
          can.topologyLevels(),
          can.reasons(),
          can.walls().stream().map(WallResponse::of).toList(),
          can.gpuStack().stream().map(GpuComponentResponse::of).toList(),
          can.nodeMarks());
    }
  }

  /**
   * Something that keeps jobs or Fairlead from what they may not do on the cluster.
   *
   * @param name fence, networkPolicy, podSecurity, resourceQuota or scope
   * @param state ENFORCED only where the cluster refused a probe
   * @param reason why it is not enforced or not known, null when it is enforced
   */
  record WallResponse(String name, Wall.State state, @Nullable String reason) {
    static WallResponse of(Wall wall) {
      return new WallResponse(wall.name(), wall.state(), wall.reason());
    }
  }

  /**
   * A part of the software that GPUs need, or that watches over them.
   *
   * @param state ABSENT only where the cluster was looked through
   * @param versions that of most nodes first; more than one where nodes differ
   * @param reason what is not known of it, or why it is not there; null when all is known
   */
  record GpuComponentResponse(
      GpuComponent.Part part,
      GpuComponent.State state,
      List<GpuVersionResponse> versions,
      @Nullable String reason) {
    static GpuComponentResponse of(GpuComponent component) {
      return new GpuComponentResponse(
          component.part(),
          component.state(),
          component.versions().stream()
              .map(each -> new GpuVersionResponse(each.version(), each.nodes()))
              .toList(),
          component.reason());
    }
  }

  /**
   * A version of it.
   *
   * @param version as its label or image has it
   * @param nodes where it runs; 0 for one that is no matter of nodes
   */
  record GpuVersionResponse(String version, int nodes) {}

  static ClusterResponse of(ClusterView view) {
    return of(view.cluster(), view.size());
  }

  static ClusterResponse of(Cluster cluster, FleetSize size) {
    SortedMap<String, BigDecimal> prices = new TreeMap<>();
    cluster
        .pricePerGpuHour()
        .forEach((model, micro) ->
            prices.put(model, BigDecimal.valueOf(micro, MICRO_DIGITS).stripTrailingZeros()));
    String version = cluster.capabilities().serverVersion();
    return new ClusterResponse(
        cluster.id().text(),
        cluster.name(),
        cluster.kind(),
        cluster.state(),
        cluster.capacity(),
        prices,
        cluster.createdAt(),
        cluster.lastSeenAt(),
        cluster.trouble(),
        version.isEmpty() ? null : version,
        size.nodes(),
        size.gpus(),
        cluster.settings().topologyLabels(),
        cluster.settings().pinning(),
        cluster.settings().rdmaResource(),
        cluster.settings().scoring(),
        WindowResponse.of(cluster.settings().window()),
        cluster.settings().consolidation(),
        cluster.settings().callback(),
        PrometheusResponse.of(cluster.settings().prometheus()),
        cluster.settings().nodeMarks(),
        CapabilitiesResponse.of(cluster.capabilities()));
  }
}
