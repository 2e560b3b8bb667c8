package dev.fairlead.work.workload.kubernetes.front;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an object in a Job. Each field must be read, because a field that is not read would
 * be dropped silently.
 */
final class JobFields {
  private final JsonNode object;
  private final String path;
  private final Set<String> taken = new TreeSet<>();

  JobFields(JsonNode object, String path) {
    this.object = object;
    this.path = path;
  }

  /** A field without an equivalent in a job spec. */
  static final class Foreign extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final String field;

    Foreign(String field, String why) {
      super(why, null, false, false);
      this.field = field;
    }

    String field() {
      return field;
    }
  }

  String path(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  Foreign foreign(String name, String why) {
    return new Foreign(path(name), why);
  }

  private @Nullable JsonNode take(String name) {
    taken.add(name);
    JsonNode value = object.get(name);
    return value == null || empty(value) ? null : value;
  }

  private static boolean empty(JsonNode value) {
    return value.isNull() || value.isContainerNode() && value.isEmpty();
  }

  /** Accepts fields with any value. */
  void pass(String... names) {
    taken.addAll(List.of(names));
  }

  @Nullable String text(String name) {
    JsonNode value = take(name);
    return value == null ? null : value.asText();
  }

  @Nullable Long number(String name) {
    JsonNode value = take(name);
    return value == null ? null : value.asLong();
  }

  long number(String name, long absent) {
    Long given = number(name);
    return given == null ? absent : given;
  }

  @Nullable Boolean flag(String name) {
    JsonNode value = take(name);
    return value == null ? null : value.asBoolean();
  }

  @Nullable JobFields fields(String name) {
    JsonNode value = take(name);
    return value == null ? null : new JobFields(value, path(name));
  }

  List<JobFields> items(String name) {
    JsonNode value = take(name);
    List<JobFields> items = new ArrayList<>();
    if (value != null) {
      for (int i = 0; i < value.size(); i++) {
        items.add(new JobFields(value.get(i), path(name) + "[" + i + "]"));
      }
    }
    return items;
  }

  List<String> texts(String name) {
    JsonNode value = take(name);
    List<String> texts = new ArrayList<>();
    if (value != null) {
      value.forEach(one -> texts.add(one.asText()));
    }
    return texts;
  }

  /** Returns the names of fields that were not read. */
  List<String> left() {
    List<String> left = new ArrayList<>();
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      if (!taken.contains(field.getKey()) && !empty(field.getValue())) {
        left.add(field.getKey());
      }
    }
    return left;
  }

  /** Refuses any other string. */
  void only(String name, String why, String... allowed) {
    String given = text(name);
    if (given != null && !List.of(allowed).contains(given)) {
      throw foreign(name, why);
    }
  }

  /**
   * @throws Foreign for the first field that was not read
   */
  void done() {
    List<String> left = left();
    if (!left.isEmpty()) {
      throw foreign(
          left.getFirst(),
          "jobs of Fairlead do not support this field. Remove it, or run this Job on the cluster"
              + " itself.");
    }
  }
}
