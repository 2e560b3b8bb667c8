package dev.fairlead.fleet.node.pool;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.resources.GpuModel;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Selects the nodes of a pool. A node must match all parts. An empty part matches every node.
 *
 * @param clusters names of clusters, at least one must match
 * @param models GPU models, at least one must match
 * @param matchLabels labels with values that must all match
 * @param matchExpressions further conditions on labels that must all match
 */
public record PoolSelector(
    List<String> clusters,
    List<String> models,
    SortedMap<String, String> matchLabels,
    List<Requirement> matchExpressions) {
  /** Compares a label with values like a Kubernetes label selector. */
  public enum Operator {
    IN("In"),
    /** Also matches a node without the label. */
    NOT_IN("NotIn"),
    EXISTS("Exists"),
    DOES_NOT_EXIST("DoesNotExist");

    private final String text;

    Operator(String text) {
      this.text = text;
    }

    /** Returns the name in Kubernetes. */
    public String text() {
      return text;
    }
  }

  /**
   * One condition on a label.
   *
   * @param values empty with {@code EXISTS} and {@code DOES_NOT_EXIST}
   */
  public record Requirement(String key, Operator operator, List<String> values) {
    public Requirement {
      values = List.copyOf(values);
    }

    boolean admits(SortedMap<String, String> labels) {
      @Nullable String value = labels.get(key);
      return switch (operator) {
        case IN -> value != null && values.contains(value);
        case NOT_IN -> value == null || !values.contains(value);
        case EXISTS -> value != null;
        case DOES_NOT_EXIST -> value == null;
      };
    }
  }

  public PoolSelector {
    clusters = List.copyOf(clusters);
    models = List.copyOf(models);
    matchLabels = Collections.unmodifiableSortedMap(new TreeMap<>(matchLabels));
    matchExpressions = List.copyOf(matchExpressions);
  }

  /** Returns whether the selector has no condition at all, so it would select the whole fleet. */
  public boolean empty() {
    return clusters.isEmpty()
        && models.isEmpty()
        && matchLabels.isEmpty()
        && matchExpressions.isEmpty();
  }

  /**
   * @param cluster name of the node's cluster
   */
  public boolean selects(String cluster, Node node) {
    return (clusters.isEmpty() || clusters.contains(cluster))
        && (models.isEmpty()
            || models.stream().anyMatch(asked -> GpuModel.answers(node.gpuModel(), asked)))
        && matchLabels.entrySet().stream()
            .allMatch(label -> label.getValue().equals(node.labels().get(label.getKey())))
        && matchExpressions.stream().allMatch(part -> part.admits(node.labels()));
  }
}
