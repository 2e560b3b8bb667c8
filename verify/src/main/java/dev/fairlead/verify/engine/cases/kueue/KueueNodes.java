package dev.fairlead.verify.engine.cases.kueue;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.verify.engine.cases.form.BadCase;
import dev.fairlead.verify.engine.cases.form.CaseNodes;
import dev.fairlead.verify.engine.cases.form.Missing;
import dev.fairlead.verify.engine.cases.form.NodeRules;
import dev.fairlead.verify.engine.cases.form.NotExpressible;
import dev.fairlead.verify.engine.cases.form.Value;
import dev.fairlead.work.placement.topology.Levels;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a {@code kueue-*} case. A flavor without topology has no nodes in the case: it gets
 * one large node, so that only quota decides. The node has the labels of the flavor, and requested
 * labels that no flavor has.
 */
public final class KueueNodes {
  private static final String HOSTNAME = "kubernetes.io/hostname";
  private static final long HUGE = 1L << 50;
  private static final int MANY_GPUS = 256;
  private static final long MANY_PODS = 1_000_000;
  private static final String PODS = "pods";

  private final Value cluster;
  private final KueueNames names;
  private final SortedMap<String, String> asked;
  private final List<String> levels = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();

  /**
   * @param asked labels that tasks request
   */
  KueueNodes(Value scenario, KueueNames names, SortedMap<String, String> asked) {
    cluster = scenario.get("cluster");
    this.names = names;
    this.asked = asked;
    for (Value topology : cluster.get("topologies").list()) {
      for (String level : topology.get("levels").texts()) {
        if (!levels.contains(level(level))) {
          levels.add(level(level));
        }
      }
    }
    SortedSet<String> given = new TreeSet<>();
    List<Value> rows = new ArrayList<>(cluster.get("nodes").list());
    rows.sort(Comparator.comparing(n -> n.get("name").text()));
    for (Value row : rows) {
      String flavor = flavor(row);
      if (flavor != null) {
        given.add(flavor);
        nodes.add(given(row, flavor));
      }
    }
    for (String flavor : names.flavors()) {
      Value row = row(flavor);
      if (row.present()) {
        invent(flavor, row, given, rows.isEmpty());
      }
    }
  }

  private void invent(String flavor, Value row, SortedSet<String> given, boolean noneGiven) {
    boolean plain = !given.contains(flavor) && !row.get("topology").present();
    if (plain && (noneGiven || names.carried())) {
      nodes.add(invented(flavor, row));
    }
  }

  public static String level(String label) {
    return label.equals(HOSTNAME) ? Levels.HOST : label;
  }

  private Value row(String flavor) {
    return cluster.get("flavors").list().stream()
        .filter(f -> f.get("name").text().equals(flavor))
        .findFirst()
        .orElseGet(() -> cluster.get("no flavor"));
  }

  /** The flavor of the node, null if none. */
  private @Nullable String flavor(Value node) {
    SortedMap<String, String> labels = NodeRules.labels(node.get("labels"));
    if (!labels.entrySet().containsAll(NodeRules.labels(cluster.get("node_filter")).entrySet())) {
      return null;
    }
    List<String> having =
        names.flavors().stream()
            .filter(f ->
                labels
                    .entrySet()
                    .containsAll(NodeRules.labels(row(f).get("node_labels")).entrySet()))
            .filter(f -> !names.carried() || row(f).get("topology").present())
            .toList();
    if (having.size() > 1) {
      throw new NotExpressible(Missing.NODE_OF_FLAVORS);
    }
    return having.isEmpty() ? null : having.getFirst();
  }

  private Node given(Value row, String flavor) {
    Value allocatable = row.get("allocatable");
    String name = row.get("name").text();
    SortedMap<String, String> labels = NodeRules.labels(row.get("labels"));
    SortedMap<String, String> topology = new TreeMap<>();
    for (Value each : cluster.get("topologies").list()) {
      for (String level : each.get("levels").texts()) {
        String domain = labels.get(level);
        if (domain != null) {
          topology.put(level(level), domain);
        }
      }
    }
    CaseNodes.Offer offer =
        new CaseNodes.Offer(
            names.model(flavor),
            names.carried() ? MANY_GPUS : 0,
            names.carried() ? 100 : 0,
            names.amount(allocatable, ResourceNames.CPU),
            names.amount(allocatable, ResourceNames.MEMORY),
            allocatable.get(PODS).present()
                ? Math.round(allocatable.get(PODS).number())
                : MANY_PODS,
            Collections.emptySortedMap());
    NodeState state =
        !row.get("ready").flag(true)
            ? NodeState.UNREACHABLE
            : row.get("cordoned").flag(false) ? NodeState.CORDONED : NodeState.ACTIVE;
    return CaseNodes.node(
        nodes.size() + 1,
        name,
        offer,
        new CaseNodes.Site(state, labels, taints(row), topology),
        foreign(name, labels));
  }

  private ResourceVector foreign(String node, SortedMap<String, String> labels) {
    ResourceVector sum = ResourceVector.ZERO;
    for (Value pod : cluster.get("other_pods").list()) {
      String phase = pod.get("phase").text("Running");
      boolean there = pod.get("node").text("").equals(node);
      if (there && !phase.equals("Succeeded") && !phase.equals("Failed")) {
        sum = sum.plus(vector(pod.get("requests")));
      }
    }
    for (String field :
        List.of("prior_usage_other_flavors", "prior_usage_same_flavor", "domain_usage")) {
      for (Value use : cluster.get(field).list()) {
        List<String> path = use.get("path").texts();
        if (labels.values().containsAll(path) && first(path, node)) {
          sum = sum.plus(vector(use.get("requests_per_task")).times(use.get("count").count(1)));
        }
      }
    }
    return sum;
  }

  /** Returns whether the node is the first node of a domain. */
  private boolean first(List<String> path, String node) {
    return cluster.get("nodes").list().stream()
        .filter(n -> NodeRules.labels(n.get("labels")).values().containsAll(path))
        .map(n -> n.get("name").text())
        .findFirst()
        .orElse("")
        .equals(node);
  }

  private ResourceVector vector(Value requests) {
    return ResourceVector.of(
        names.amount(requests, ResourceNames.CPU),
        names.amount(requests, ResourceNames.MEMORY),
        0,
        1);
  }

  private Node invented(String flavor, Value row) {
    SortedMap<String, String> labels = new TreeMap<>(asked);
    for (Value each : cluster.get("flavors").list()) {
      labels.keySet().removeAll(each.get("node_labels").fields().keySet());
    }
    labels.putAll(NodeRules.labels(row.get("node_labels")));
    CaseNodes.Offer offer =
        new CaseNodes.Offer(
            names.model(flavor),
            names.carried() ? MANY_GPUS : 0,
            names.carried() ? 100 : 0,
            HUGE,
            HUGE,
            MANY_PODS,
            Collections.emptySortedMap());
    return CaseNodes.node(
        nodes.size() + 1,
        "node of " + flavor,
        offer,
        new CaseNodes.Site(NodeState.ACTIVE, labels, taints(row), Collections.emptySortedMap()),
        ResourceVector.ZERO);
  }

  private static List<Taint> taints(Value row) {
    return row.get("taints").list().stream()
        .map(t ->
            new Taint(
                t.get("key").text(), t.get("value").text(""), t.get("effect").text("NoSchedule")))
        .toList();
  }

  Cluster cluster() {
    return CaseNodes.cluster(
        levels, ClusterSettings.DEFAULT.withScoring(ClusterSettings.Scoring.BEST_FIT));
  }

  List<Node> nodes() {
    return nodes;
  }

  /** The node of a holder: the node of its flavor, or the one in a domain. */
  Node at(String flavor, List<String> path) {
    for (Node node : nodes) {
      boolean own =
          node.gpuModel().equals(names.model(flavor)) || node.gpuModel().equals(Flavor.CPU);
      if (own && node.labels().values().containsAll(path)) {
        return node;
      }
    }
    throw new BadCase("no node of " + flavor + " at " + path);
  }
}
