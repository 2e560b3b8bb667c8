package dev.fairlead.kernel.body;

import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** JSON Merge Patch (RFC 7396): null removes, objects merge, everything else replaces. */
final class MergePatch {
  private MergePatch() {}

  static JsonNode apply(JsonNode target, JsonNode patch) {
    if (!patch.isObject()) {
      return patch;
    }
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    if (target.isObject()) {
      target.properties().forEach(field -> result.set(field.getKey(), field.getValue()));
    }
    for (Map.Entry<String, JsonNode> change : patch.properties()) {
      if (change.getValue().isNull()) {
        result.remove(change.getKey());
      } else {
        JsonNode old = result.get(change.getKey());
        result.set(
            change.getKey(),
            apply(old == null ? JsonNodeFactory.instance.nullNode() : old, change.getValue()));
      }
    }
    return result;
  }
}
