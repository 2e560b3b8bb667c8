package dev.fairlead.fleet.node;

import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a node shows on its own cluster of what Fairlead decided about it. Each part has an
 * annotation that says which installation put it there; what another one, or somebody, put there
 * under the same name is not ours to change.
 *
 * @param pool value of the label {@link #POOL}, null for none
 * @param quarantine value of the taint {@link #QUARANTINE}, null for none; empty, as a pool may be
 *     too, where only the annotation is left
 */
public record NodeMarks(@Nullable String pool, @Nullable String quarantine) {
  public static final NodeMarks NONE = new NodeMarks(null, null);

  /** Label with the name of the node's pool. */
  public static final String POOL = "fairlead.dev/pool";

  /** Taint of a node that takes nothing new for its health; the value says why. */
  public static final String QUARANTINE = "fairlead.dev/quarantine";

  /** Effect of the taint: what runs on the node runs on. */
  public static final String EFFECT = "NoSchedule";

  /** Annotation with the label of the installation whose pool is shown. */
  public static final String POOL_BY = "fairlead.dev/pool-by";

  /** Annotation with the label of the installation whose quarantine is shown. */
  public static final String QUARANTINE_BY = "fairlead.dev/quarantine-by";

  private static final int LONGEST = 63;

  public boolean none() {
    return equals(NONE);
  }

  /**
   * Words as the value of a taint: letters, digits, {@code .}, {@code _} and {@code -}, at most 63,
   * with a letter or digit at both ends.
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
   * Nodes that are to show something else, with what; by name. Machines that are gone show nothing
   * that could be changed.
   *
   * @param wanted by the name of the node; none for those that are not named
   */
  public static SortedMap<String, NodeMarks> due(
      Map<String, NodeMarks> wanted, Collection<NodeReport> shown) {
    SortedMap<String, NodeMarks> due = new TreeMap<>();
    for (NodeReport node : shown) {
      NodeMarks its = wanted.getOrDefault(node.name(), NONE);
      if (!node.machineGone() && !its.equals(node.marks())) {
        due.put(node.name(), its);
      }
    }
    return due;
  }
}
