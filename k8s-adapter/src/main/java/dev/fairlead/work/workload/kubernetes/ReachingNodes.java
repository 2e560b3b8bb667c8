package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.work.workload.kubernetes.call.ReportedText;
import dev.fairlead.work.workload.kubernetes.node.NodeReports;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that can reach a volume. A zonal or node-local disk can be mounted only in its zone or
 * on its node, and a kubelet elsewhere retries forever.
 *
 * @param labels labels of each node that can reach it
 * @param beyond further requirements on nodes, as text, if not all nodes with the labels can reach
 *     it, null if all can
 */
record ReachingNodes(SortedMap<String, String> labels, @Nullable String beyond) {
  private static final String ZONE = "topology.kubernetes.io/zone";
  private static final String REGION = "topology.kubernetes.io/region";

  /** Names of labels before Kubernetes 1.17. */
  private static final Map<String, String> OLD =
      Map.of(
          "failure-domain.beta.kubernetes.io/zone", ZONE,
          "failure-domain.beta.kubernetes.io/region", REGION);

  /** Separator between the zones of a volume in the value of its label. */
  private static final String AND = "__";

  /** More than any provisioner writes. */
  private static final int MOST_LABELS = 16;

  private static final int LONGEST = 300;

  /** Reads its node affinity and its zone labels. */
  static ReachingNodes of(PersistentVolume volume) {
    SortedMap<String, String> labels = new TreeMap<>();
    Set<String> beyond = new LinkedHashSet<>();
    Map<String, String> own = volume.getMetadata().getLabels();
    new TreeMap<>(own == null ? Map.of() : own)
        .forEach((key, value) -> {
          String name = OLD.getOrDefault(key, key);
          if (value != null && (name.equals(ZONE) || name.equals(REGION))) {
            add(name, List.of(value.split(AND)), labels, beyond);
          }
        });
    List<NodeSelectorTerm> terms = terms(volume);
    if (terms.size() == 1) {
      addAll(terms.getFirst(), labels, beyond);
    } else if (!terms.isEmpty()) {
      addCommon(terms, labels, beyond);
    }
    return new ReachingNodes(
        Collections.unmodifiableSortedMap(labels),
        beyond.isEmpty() ? null : ReportedText.words(String.join(", ", beyond), LONGEST));
  }

  private static List<NodeSelectorTerm> terms(PersistentVolume volume) {
    var affinity = volume.getSpec().getNodeAffinity();
    NodeSelector required = affinity == null ? null : affinity.getRequired();
    return required == null ? List.of() : required.getNodeSelectorTerms();
  }

  private static void addAll(
      NodeSelectorTerm term, SortedMap<String, String> labels, Set<String> beyond) {
    for (NodeSelectorRequirement each : term.getMatchExpressions()) {
      if ("In".equals(each.getOperator())) {
        add(each.getKey(), each.getValues(), labels, beyond);
      } else {
        beyond.add(text(each));
      }
    }
    term.getMatchFields().forEach(field -> beyond.add(text(field)));
  }

  /**
   * Only one of several terms must match, so only their common requirements apply to every node.
   */
  private static void addCommon(
      List<NodeSelectorTerm> terms, SortedMap<String, String> labels, Set<String> beyond) {
    SortedMap<String, String> common = new TreeMap<>();
    addAll(terms.getFirst(), common, new LinkedHashSet<>());
    for (NodeSelectorTerm term : terms) {
      SortedMap<String, String> its = new TreeMap<>();
      addAll(term, its, new LinkedHashSet<>());
      common.entrySet().retainAll(its.entrySet());
    }
    common.forEach((key, value) -> add(key, List.of(value), labels, beyond));
    beyond.add(terms.stream().map(ReachingNodes::text).collect(Collectors.joining(" or ")));
  }

  /** A label that nodes do not have, or a second value, would exclude every node. */
  private static void add(
      @Nullable String key,
      List<String> values,
      SortedMap<String, String> labels,
      Set<String> beyond) {
    String name = key == null ? "" : OLD.getOrDefault(key, key);
    String only = values.size() == 1 ? values.getFirst() : "";
    boolean known = !only.isEmpty() && NodeReports.known(name, only);
    if (known && labels.size() < MOST_LABELS && only.equals(labels.getOrDefault(name, only))) {
      labels.put(name, only);
    } else {
      beyond.add("%s In %s".formatted(name, values));
    }
  }

  private static String text(NodeSelectorTerm term) {
    List<String> parts = new ArrayList<>();
    term.getMatchExpressions().forEach(each -> parts.add(text(each)));
    term.getMatchFields().forEach(each -> parts.add(text(each)));
    return parts.isEmpty() ? "none" : String.join(" and ", parts);
  }

  private static String text(NodeSelectorRequirement each) {
    return "%s %s %s".formatted(each.getKey(), each.getOperator(), each.getValues());
  }
}
