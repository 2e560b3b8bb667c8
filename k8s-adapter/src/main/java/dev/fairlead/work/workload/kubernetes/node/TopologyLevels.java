package dev.fairlead.work.workload.kubernetes.node;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Node labels that name topology domains.
 *
 * @param labels widest first
 */
public record TopologyLevels(List<String> labels) {
  public static final TopologyLevels DEFAULT =
      new TopologyLevels(
          List.of(
              "topology.kubernetes.io/zone",
              "topology.fairlead.dev/block",
              "topology.fairlead.dev/rack",
              "kubernetes.io/hostname"));

  public TopologyLevels {
    labels = List.copyOf(labels);
  }

  /**
   * Returns the level's name: the part after the last slash of its label, {@code host} for the host
   * name.
   */
  static String name(String label) {
    String last = label.substring(label.lastIndexOf('/') + 1);
    return last.equals("hostname") ? "host" : last;
  }

  /** Returns the domains by level, for the levels that the node's labels name. */
  SortedMap<String, String> of(Map<String, String> nodeLabels) {
    SortedMap<String, String> domains = new TreeMap<>();
    for (String label : labels) {
      String domain = nodeLabels.get(label);
      if (domain != null && !domain.isEmpty()) {
        domains.put(name(label), domain);
      }
    }
    return domains;
  }

  /** Returns the names of the levels that any of the nodes has, widest first. */
  List<String> present(Collection<SortedMap<String, String>> topologies) {
    List<String> present = new ArrayList<>();
    for (String label : labels) {
      if (topologies.stream().anyMatch(t -> t.containsKey(name(label)))) {
        present.add(name(label));
      }
    }
    return present;
  }
}
