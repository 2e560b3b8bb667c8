package dev.fairlead.verify.engine.cases.form;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A value of a case file with its position. Absent fields are values too.
 *
 * @param node null when absent
 */
public record Value(String file, String path, @Nullable JsonNode node) {
  private static final int MOST = 1_000_000;

  public Value get(String field) {
    if (node != null && !node.isObject()) {
      throw bad("an object");
    }
    JsonNode there = node == null ? null : node.get(field);
    return new Value(
        file, path + "/" + escaped(field), there == null || there.isNull() ? null : there);
  }

  boolean isObject() {
    return node != null && node.isObject();
  }

  boolean isList() {
    return node != null && node.isArray();
  }

  public boolean present() {
    return node != null;
  }

  public String text() {
    if (node == null || !node.isString()) {
      throw bad("text");
    }
    return node.asString();
  }

  public String text(String fallback) {
    return node == null ? fallback : text();
  }

  public @Nullable String textOrNull() {
    return node == null ? null : text();
  }

  public double number() {
    if (node == null || !node.isNumber()) {
      throw bad("a number");
    }
    return node.asDouble();
  }

  public double number(double fallback) {
    return node == null ? fallback : number();
  }

  /** A whole number that may be negative. */
  public int whole(int fallback) {
    double value = number(fallback);
    if (value != (int) value) {
      throw bad("a whole number");
    }
    return (int) value;
  }

  /** A count: 0 to {@value #MOST}. */
  public int count(int fallback) {
    int value = whole(fallback);
    if (value < 0 || value > MOST) {
      throw bad("a whole number, 0 to " + MOST);
    }
    return value;
  }

  /** One of these texts. */
  public String oneOf(String fallback, String... known) {
    String text = text(fallback);
    if (!List.of(known).contains(text)) {
      throw bad("one of " + String.join(", ", known));
    }
    return text;
  }

  public boolean flag(boolean fallback) {
    if (node == null) {
      return fallback;
    }
    if (!node.isBoolean()) {
      throw bad("true or false");
    }
    return node.asBoolean();
  }

  /** Elements of an array, none when absent. */
  public List<Value> list() {
    List<Value> all = new ArrayList<>();
    if (node == null) {
      return all;
    }
    if (!node.isArray()) {
      throw bad("an array");
    }
    for (JsonNode element : node) {
      all.add(new Value(file, path + "/" + all.size(), element));
    }
    return all;
  }

  public List<String> texts() {
    return list().stream().map(Value::text).toList();
  }

  /** Fields of an object by name, none when absent. */
  public SortedMap<String, Value> fields() {
    SortedMap<String, Value> all = new TreeMap<>();
    if (node != null && !node.isObject()) {
      throw bad("an object");
    }
    if (node != null) {
      node.propertyNames().forEach(name -> all.put(name, get(name)));
    }
    return all;
  }

  public BadCase bad(String expected) {
    return new BadCase(
        path,
        "expected %s, found %s"
            .formatted(expected, node == null ? "nothing" : shortened(node.toString())));
  }

  /** Escapes a field for a JSON pointer. */
  private static String escaped(String field) {
    return field.replace("~", "~0").replace("/", "~1");
  }

  private static String shortened(String text) {
    return text.length() <= 60 ? text : text.substring(0, 60) + "...";
  }
}
