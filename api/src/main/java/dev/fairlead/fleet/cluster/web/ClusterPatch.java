package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.FleetSize;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.cluster.connection.TrafficGateway;
import dev.fairlead.fleet.cluster.service.ClusterChange;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A merge patch of the changeable fields of a registered cluster. */
final class ClusterPatch {
  private static final int MOST_FIELDS = 20;
  private static final List<String> REAL =
      List.of(
          "kubeconfig",
          "connection",
          "topologyLabels",
          "pinning",
          "rdmaResource",
          "callback",
          "gateway",
          "backend",
          "devices");
  private static final List<String> FIXED = List.of("name", "kind", "fleet");

  private ClusterPatch() {}

  /**
   * Returns the changed cluster.
   *
   * @throws Refusal for each field that cannot be changed or is invalid
   */
  static ClusterChange read(Cluster cluster, Body body) {
    FieldProblems problems = new FieldProblems();
    Fields given = body.fields(problems);
    for (String fixed : FIXED) {
      if (given.has(fixed)) {
        given.refuse(
            fixed,
            ProblemCode.INVALID_FIELD,
            fixed + " of a registered cluster cannot be changed.",
            null);
      }
    }
    if (cluster.kind() == ClusterKind.SIMULATED) {
      ClusterFields.refuseAll(given, REAL);
    }
    if (cluster.kind() == ClusterKind.SLURM) {
      ClusterFields.refuseAll(
          given, REAL.stream().filter(field -> !field.equals("connection")).toList());
    }
    if (given.has("kubeconfig") && given.has("connection")) {
      given.refuse(
          "connection",
          ProblemCode.CONFLICTING_FIELDS,
          "Give either kubeconfig or connection.",
          null);
    }
    problems.refuse();
    Value merged = body.appliedTo(settings(cluster)).value(problems);
    Optional<UpdateClusterRequest> request = BodyBinder.read(merged, UpdateClusterRequest.class);
    request.ifPresent(update -> update.check(merged.fields().orElseThrow(), cluster.kind()));
    problems.refuse();
    return request
        .orElseThrow()
        .change(cluster.kind(), List.copyOf(body.value(problems).entries(MOST_FIELDS).keySet()));
  }

  /** The current fields in the form of a request. */
  private static SortedMap<String, Object> settings(Cluster cluster) {
    ClusterResponse now = ClusterResponse.of(cluster, FleetSize.EMPTY);
    SortedMap<String, Object> settings = new TreeMap<>();
    settings.put("capacityType", now.capacityType());
    settings.put("pricePerGpuHour", now.pricePerGpuHour());
    settings.put("scoring", now.scoring());
    settings.put("consolidation", now.consolidation());
    settings.put("nodeLabelsAndTaints", now.nodeLabelsAndTaints());
    if (now.window() != null) {
      settings.put("window", window(now.window()));
    }
    Prometheus prometheus = cluster.settings().prometheus();
    if (prometheus != null) {
      settings.put("prometheus", prometheus(prometheus));
    }
    if (cluster.kind() == ClusterKind.KUBERNETES) {
      settings.put("topologyLabels", now.topologyLabels());
      settings.put("pinning", now.pinning());
      if (now.rdmaResource() != null) {
        settings.put("rdmaResource", now.rdmaResource());
      }
      if (now.callback() != null) {
        settings.put("callback", now.callback());
      }
      TrafficGateway gateway = cluster.settings().gateway();
      if (gateway != null) {
        settings.put("gateway", gateway(gateway));
      }
      settings.put("backend", BackendRequest.of(cluster.settings().backend()));
      settings.put("devices", DevicesRequest.of(cluster.settings().devices()));
    }
    return settings;
  }

  private static SortedMap<String, Object> gateway(TrafficGateway now) {
    SortedMap<String, Object> gateway = new TreeMap<>();
    gateway.put("namespace", now.namespace());
    gateway.put("name", now.name());
    gateway.put("proxyNamespace", now.proxies());
    if (now.metrics() != null) {
      gateway.put("metrics", prometheus(now.metrics()));
    }
    TrafficGateway.Gate gate = now.gate();
    if (gate != null) {
      SortedMap<String, Object> fields = new TreeMap<>();
      fields.put("namespace", gate.namespace());
      fields.put("name", gate.name());
      fields.put("port", gate.port());
      gateway.put("gate", fields);
    }
    return gateway;
  }

  private static SortedMap<String, Object> prometheus(Prometheus now) {
    SortedMap<String, Object> prometheus = new TreeMap<>();
    prometheus.put("url", now.url());
    if (now.caData() != null) {
      prometheus.put("caData", now.caData());
    }
    if (now.faults()) {
      prometheus.put("faults", true);
    }
    return prometheus;
  }

  private static SortedMap<String, Object> window(ClusterResponse.WindowResponse now) {
    SortedMap<String, Object> window = new TreeMap<>();
    if (now.from() != null) {
      window.put("from", now.from().toString());
    }
    if (now.until() != null) {
      window.put("until", now.until().toString());
    }
    return window;
  }
}
