package dev.fairlead.work.workload.kubernetes.kind;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A sign of a state in the status of an object. {@code Failed} is the condition of that type with
 * the status True, {@code !Suspended} with the status False, and {@code /status/phase=Running} a
 * field with that value.
 *
 * @param path path of the field, null for a condition
 * @param name name of the condition, or the value of the field
 * @param status expected status of the condition
 */
record KindSign(@Nullable KindPath path, String name, String status) {
  private static final Pattern CONDITION = Pattern.compile("(!?)([A-Z][A-Za-z]{0,62})");
  private static final Pattern FIELD = Pattern.compile("(/status/[^=]+)=([A-Za-z]{1,63})");

  /** The result is null for a string that is not a sign. */
  static @Nullable KindSign read(String text) {
    Matcher condition = CONDITION.matcher(text);
    if (condition.matches()) {
      String status = condition.group(1).isEmpty() ? "True" : "False";
      return new KindSign(null, condition.group(2), status);
    }
    Matcher field = FIELD.matcher(text);
    if (!field.matches() || !KindPath.wellFormed(field.group(1))) {
      return null;
    }
    KindPath path = new KindPath(field.group(1));
    return path.several() ? null : new KindSign(path, field.group(2), "");
  }

  /** Returns whether the object shows it. */
  boolean in(JsonNode object) {
    if (path != null) {
      return name.equals(object.at(path.text()).asText());
    }
    for (JsonNode one : object.at("/status/conditions")) {
      if (name.equals(one.path("type").asText())) {
        return status.equals(one.path("status").asText());
      }
    }
    return false;
  }
}
