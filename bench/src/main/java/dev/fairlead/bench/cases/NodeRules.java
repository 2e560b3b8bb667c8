package dev.fairlead.bench.cases;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Taints, node selectors and required node affinity of tasks, as cases write them. */
final class NodeRules {
  private NodeRules() {}

  /** Whether one of the tolerations bears every taint that keeps tasks away. */
  static boolean bears(List<Value> taints, List<Value> tolerations) {
    return taints.stream()
        .filter(t -> !t.get("effect").text("NoSchedule").equals("PreferNoSchedule"))
        .allMatch(taint -> tolerations.stream().anyMatch(t -> bears(taint, t)));
  }

  private static boolean bears(Value taint, Value toleration) {
    String key = toleration.get("key").text("");
    boolean everything = key.isEmpty() && toleration.get("operator").text("").equals("Exists");
    boolean value =
        toleration.get("operator").text("Equal").equals("Exists")
            || toleration.get("value").text("").equals(taint.get("value").text(""));
    String effect = toleration.get("effect").text("");
    boolean sameEffect = effect.isEmpty() || effect.equals(taint.get("effect").text(""));
    return everything || key.equals(taint.get("key").text("")) && value && sameEffect;
  }

  /**
   * Whether labels meet selector and affinity of a task.
   *
   * @param onlyKnown keys without a label count not: the labels of a flavor say nothing of others
   */
  static boolean wants(Value task, SortedMap<String, String> labels, boolean onlyKnown) {
    for (Map.Entry<String, Value> wanted : task.get("node_selector").fields().entrySet()) {
      String label = labels.get(wanted.getKey());
      if (label == null ? !onlyKnown : !label.equals(wanted.getValue().text())) {
        return false;
      }
    }
    List<Value> terms =
        task.get("node_affinity")
            .get("requiredDuringSchedulingIgnoredDuringExecution")
            .get("nodeSelectorTerms")
            .list();
    return terms.isEmpty()
        || terms.stream()
            .anyMatch(term ->
                term.get("matchExpressions").list().stream()
                    .allMatch(e -> holds(e, labels, onlyKnown)));
  }

  /** One expression of a label selector. */
  static boolean holds(Value expression, SortedMap<String, String> labels, boolean onlyKnown) {
    String label = labels.get(expression.get("key").text());
    if (label == null && onlyKnown) {
      return true;
    }
    List<String> values = expression.get("values").texts();
    return switch (expression.get("operator").text()) {
      case "In" -> label != null && values.contains(label);
      case "NotIn" -> label == null || !values.contains(label);
      case "Exists" -> label != null;
      case "DoesNotExist" -> label == null;
      default -> throw expression.get("operator").bad("In, NotIn, Exists or DoesNotExist");
    };
  }

  static SortedMap<String, String> labels(Value labels) {
    SortedMap<String, String> all = new TreeMap<>();
    labels.fields().forEach((key, value) -> all.put(key, value.text()));
    return all;
  }
}
