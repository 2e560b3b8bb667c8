package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.ClusterSettings.NodeLabelPolicy;
import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

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
            .required("kind", "FAIRLEAD, KUBE_SCHEDULER or KUEUE.")
            .flatMap(v -> v.choice(PlacementBackend.Kind.class));
    Optional<String> queue = fields.get("queue").flatMap(v -> Names.label(v, LONGEST_LABEL));
    Optional<String> scheduler = fields.get("schedulerName").flatMap(Names::subdomain);
    boolean kueue = kind.filter(PlacementBackend.Kind.KUEUE::equals).isPresent();
    if (kueue && !fields.has("queue")) {
      fields.required("queue", "the LocalQueue of Kueue in the namespace of each project.");
    } else if (!kueue && fields.has("queue")) {
      fields.refuse(
          "queue",
          ProblemCode.CONFLICTING_FIELDS,
          "queue requires kind KUEUE. Remove queue, or set it to null in a patch.",
          null);
    }
    if (kind.filter(PlacementBackend.Kind.FAIRLEAD::equals).isPresent()
        && fields.has("schedulerName")) {
      fields.refuse(
          "schedulerName",
          ProblemCode.CONFLICTING_FIELDS,
          "Fairlead chooses the nodes itself. Set kind to KUBE_SCHEDULER or KUEUE, or leave"
              + " schedulerName out (null in a patch).",
          null);
    }
    fields.done();
    return new PlacementBackend(
        kind.orElse(PlacementBackend.Kind.FAIRLEAD), queue.orElse(null), scheduler.orElse(null));
  }

  /** In the form of a request. */
  static SortedMap<String, Object> request(PlacementBackend now) {
    SortedMap<String, Object> backend = new TreeMap<>();
    backend.put("kind", now.kind());
    if (now.queue() != null) {
      backend.put("queue", now.queue());
    }
    if (now.schedulerName() != null) {
      backend.put("schedulerName", now.schedulerName());
    }
    return backend;
  }
}
