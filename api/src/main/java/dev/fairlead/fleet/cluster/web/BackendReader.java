package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.ClusterSettings.NodeLabelPolicy;
import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.cluster.connection.PodGroupApi;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Reads the scheduler that chooses the nodes of a cluster. */
final class BackendReader {
  private static final int LONGEST_LABEL = 63;

  private BackendReader() {}

  static PlacementBackend read(Fields cluster) {
    PlacementBackend backend =
        cluster
            .get("backend")
            .flatMap(Value::fields)
            .map(BackendReader::backend)
            .orElse(PlacementBackend.FAIRLEAD);
    if (backend.choosesNodes() && !shown(cluster)) {
      cluster.refuse(
          "nodeLabelsAndTaints",
          ProblemCode.CONFLICTING_FIELDS,
          "Another scheduler sees pools and quarantines only as labels and taints of nodes. Set"
              + " nodeLabelsAndTaints to POOL_AND_QUARANTINE, or backend.kind to FAIRLEAD.",
          null);
    }
    return backend;
  }

  private static boolean shown(Fields cluster) {
    return cluster
        .get("nodeLabelsAndTaints")
        .flatMap(v -> v.choice(NodeLabelPolicy.class))
        .filter(NodeLabelPolicy.POOL_AND_QUARANTINE::equals)
        .isPresent();
  }

  private static PlacementBackend backend(Fields fields) {
    Optional<PlacementBackend.Kind> kind =
        fields
            .required("kind", "FAIRLEAD, KUBE_SCHEDULER, KUEUE or POD_GROUP.")
            .flatMap(v -> v.choice(PlacementBackend.Kind.class));
    PlacementBackend.Kind chosen = kind.orElse(PlacementBackend.Kind.FAIRLEAD);
    Optional<PodGroupApi> api = fields.get("api").flatMap(BackendReader::api);
    Optional<String> queue = fields.get("queue").flatMap(v -> Names.label(v, LONGEST_LABEL));
    Optional<String> scheduler = fields.get("schedulerName").flatMap(Names::subdomain);
    if (chosen == PlacementBackend.Kind.POD_GROUP && !fields.has("api")) {
      fields.required("api", "the group and version of the PodGroups: " + apis() + ".");
    } else if (chosen != PlacementBackend.Kind.POD_GROUP && fields.has("api")) {
      conflict(fields, "api", "api requires kind POD_GROUP. Remove api, or set it to null");
    }
    boolean queues = api.filter(a -> a.queue() != null).isPresent();
    if (chosen == PlacementBackend.Kind.KUEUE && !fields.has("queue")) {
      fields.required(
          "queue", "the name of the Kueue LocalQueue in the namespace of each project.");
    } else if (chosen == PlacementBackend.Kind.POD_GROUP && !queues && fields.has("queue")) {
      conflict(
          fields,
          "queue",
          "The PodGroups of this api have no queue. Remove queue, or set it to null");
    } else if (chosen != PlacementBackend.Kind.KUEUE
        && chosen != PlacementBackend.Kind.POD_GROUP
        && fields.has("queue")) {
      conflict(
          fields,
          "queue",
          "queue requires kind KUEUE or POD_GROUP. Remove queue, or set it to null");
    }
    if (kind.filter(PlacementBackend.Kind.FAIRLEAD::equals).isPresent()
        && fields.has("schedulerName")) {
      conflict(
          fields,
          "schedulerName",
          "Fairlead chooses the nodes itself. Set kind to KUBE_SCHEDULER, KUEUE or POD_GROUP, or"
              + " set schedulerName to null");
    }
    fields.done();
    return new PlacementBackend(
        chosen,
        api.map(PodGroupApi::name).orElse(null),
        queue.orElse(null),
        scheduler.orElse(null));
  }

  private static void conflict(Fields fields, String field, String message) {
    fields.refuse(field, ProblemCode.CONFLICTING_FIELDS, message + " in a patch.", null);
  }

  private static Optional<PodGroupApi> api(Value value) {
    return value
        .oneOf(PodGroupApi.all().stream().map(PodGroupApi::name).toList())
        .flatMap(PodGroupApi::named);
  }

  private static String apis() {
    return PodGroupApi.all().stream()
        .map(api -> api.name() + " (" + api.scheduler() + ")")
        .collect(Collectors.joining(", "));
  }

  /** Formats the setting as in a request. */
  static SortedMap<String, Object> request(PlacementBackend now) {
    SortedMap<String, Object> backend = new TreeMap<>();
    backend.put("kind", now.kind());
    if (now.api() != null) {
      backend.put("api", now.api());
    }
    if (now.queue() != null) {
      backend.put("queue", now.queue());
    }
    if (now.schedulerName() != null) {
      backend.put("schedulerName", now.schedulerName());
    }
    return backend;
  }
}
