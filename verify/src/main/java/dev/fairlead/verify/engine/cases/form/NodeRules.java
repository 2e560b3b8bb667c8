package dev.fairlead.verify.engine.cases.form;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Labels and label selectors, in the form of cases. */
public final class NodeRules {
  private NodeRules() {}

  /** Evaluates one expression of a label selector. */
  public static boolean holds(Value expression, SortedMap<String, String> labels) {
    String label = labels.get(expression.get("key").text());
    List<String> values = expression.get("values").texts();
    return switch (expression.get("operator").text()) {
      case "In" -> label != null && values.contains(label);
      case "NotIn" -> label == null || !values.contains(label);
      case "Exists" -> label != null;
      case "DoesNotExist" -> label == null;
      default -> throw expression.get("operator").bad("In, NotIn, Exists or DoesNotExist");
    };
  }

  public static SortedMap<String, String> labels(Value labels) {
    SortedMap<String, String> all = new TreeMap<>();
    labels.fields().forEach((key, value) -> all.put(key, value.text()));
    return all;
  }
}
