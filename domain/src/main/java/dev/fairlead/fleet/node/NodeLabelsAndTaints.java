package dev.fairlead.fleet.node;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The labels and taints that show Fairlead's decisions on a node of the cluster. An annotation on
 * each names the installation that set it. Fairlead does not change labels and taints of the same
 * name that another installation or a person has set.
 *
 * @param pool value of the label {@link #POOL}, null if none
 * @param quarantine value of the taint {@link #QUARANTINE}, null if none. An empty value, also for
 *     the pool, means that only the annotation is left.
 * @param gpus values of the same taint of single GPUs by UUID. An empty value means that the taint
 *     is on another device
 */
public record NodeLabelsAndTaints(
    @Nullable String pool, @Nullable String quarantine, SortedMap<String, String> gpus) {
  public static final NodeLabelsAndTaints NONE = new NodeLabelsAndTaints(null, null);

  public NodeLabelsAndTaints {
    gpus = Collections.unmodifiableSortedMap(new TreeMap<>(gpus));
  }

  /** Labels and taints of a node without tainted GPUs. */
  public NodeLabelsAndTaints(@Nullable String pool, @Nullable String quarantine) {
    this(pool, quarantine, Collections.emptySortedMap());
  }

  /** Returns the same with these tainted GPUs. */
  public NodeLabelsAndTaints withGpus(SortedMap<String, String> tainted) {
    return new NodeLabelsAndTaints(pool, quarantine, tainted);
  }

  /**
   * Prefix of labels of node feature discovery, hundreds per node, which placement does not use.
   */
  public static final String FEATURES = "feature.node.kubernetes.io/";

  /** Label with the name of the node's pool. */
  public static final String POOL = "fairlead.dev/pool";

  /**
   * Taint of a node that accepts no new members because of its health. The value contains the
   * reason.
   */
  public static final String QUARANTINE = "fairlead.dev/quarantine";

  /** Effect of the taint. Running pods continue. */
  public static final String EFFECT = "NoSchedule";

  /** Annotation with the label of the installation that set the pool label. */
  public static final String POOL_BY = "fairlead.dev/pool-by";

  /** Annotation with the label of the installation that set the quarantine taint. */
  public static final String QUARANTINE_BY = "fairlead.dev/quarantine-by";

  private static final int LONGEST = 63;

  public boolean none() {
    return equals(NONE);
  }

  /**
   * Converts text to the value of a taint: letters, digits, {@code .}, {@code _} and {@code -}, at
   * most 63 characters, with a letter or digit at both ends.
   *
   * @see <a
   *     href="https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set">Kubernetes</a>
   */
  public static String value(String words) {
    String plain = words.replaceAll("[^A-Za-z0-9._]+", "-").replaceAll("^[._-]+", "");
    String cut = plain.length() > LONGEST ? plain.substring(0, LONGEST) : plain;
    String value = cut.replaceAll("[._-]+$", "");
    return value.isEmpty() ? "fault" : value;
  }

  /**
   * Returns the nodes with labels or taints that must change, with the desired state, by name.
   * Machines that no longer exist, and GPUs that are neither reported nor tainted, are omitted.
   */
  public static SortedMap<String, NodeLabelsAndTaints> due(
      Map<String, NodeLabelsAndTaints> wanted, Collection<NodeReport> shown) {
    SortedMap<String, NodeLabelsAndTaints> due = new TreeMap<>();
    for (NodeReport node : shown) {
      NodeLabelsAndTaints its = wanted.getOrDefault(node.name(), NONE).at(node);
      if (!node.machineGone() && !its.equals(node.labelsAndTaints())) {
        due.put(node.name(), its);
      }
    }
    return due;
  }

  private NodeLabelsAndTaints at(NodeReport node) {
    if (gpus.isEmpty()) {
      return this; // almost every node of a fleet
    }
    SortedMap<String, String> there = new TreeMap<>(gpus);
    Set<String> known = new TreeSet<>(node.labelsAndTaints().gpus().keySet());
    node.gpus().forEach(gpu -> known.add(gpu.serial()));
    there.keySet().retainAll(known);
    return withGpus(there);
  }
}
