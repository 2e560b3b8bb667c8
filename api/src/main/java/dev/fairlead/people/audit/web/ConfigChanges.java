package dev.fairlead.people.audit.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Differences between two documents. */
final class ConfigChanges {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private ConfigChanges() {}

  /**
   * A path at which two documents differ.
   *
   * @param path JSON Pointer (RFC 6901), empty for the whole document
   * @param before previous JSON, null if none
   * @param after new JSON, null if none
   */
  record Changed(String path, @Nullable String before, @Nullable String after) {}

  /**
   * Returns the deepest differences in the order of their paths. Items of lists are compared by
   * position.
   */
  static List<Changed> between(@Nullable String before, @Nullable String after) {
    List<Changed> found = new ArrayList<>();
    compare("", tree(before), tree(after), found);
    return found;
  }

  static @Nullable Map<String, Object> members(@Nullable String document) {
    return document == null
        ? null
        : JSON.readValue(document, new TypeReference<Map<String, Object>>() {});
  }

  private static @Nullable JsonNode tree(@Nullable String document) {
    return document == null ? null : JSON.readTree(document);
  }

  private static void compare(
      String path, @Nullable JsonNode before, @Nullable JsonNode after, List<Changed> found) {
    if (before == null || after == null) {
      if (before != null || after != null) {
        found.add(new Changed(path, text(before), text(after)));
      }
    } else if (before.isObject() && after.isObject()) {
      SortedSet<String> names = new TreeSet<>(before.propertyNames());
      names.addAll(after.propertyNames());
      for (String name : names) {
        String below = path + "/" + name.replace("~", "~0").replace("/", "~1");
        compare(below, before.get(name), after.get(name), found);
      }
    } else if (before.isArray() && after.isArray()) {
      for (int i = 0; i < Math.max(before.size(), after.size()); i++) {
        compare(path + "/" + i, before.get(i), after.get(i), found);
      }
    } else if (!before.equals(after)) {
      found.add(new Changed(path, text(before), text(after)));
    }
  }

  private static @Nullable String text(@Nullable JsonNode value) {
    return value == null ? null : value.toString();
  }
}
