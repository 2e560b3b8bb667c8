package dev.fairlead.work.workload.kubernetes.kind;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A path in an object: a JSON pointer without escapes, in which one step may be {@code *} for each
 * item of a list or each entry of a mapping.
 *
 * @param text such as {@code /spec/replicatedJobs/*}{@code /replicas}
 */
public record KindPath(String text) implements Comparable<KindPath> {
  private static final Pattern FORM = Pattern.compile("(/(\\*|[A-Za-z][A-Za-z0-9]{0,62}))+");
  private static final String EACH = "*";

  /**
   * @param step name or index of the step {@code *}, empty without such a step
   * @param value null where the object has none
   */
  public record Found(String at, String step, @Nullable JsonNode value) {}

  static boolean wellFormed(String text) {
    return FORM.matcher(text).matches() && text.indexOf(EACH) == text.lastIndexOf(EACH);
  }

  /** Returns whether a step is {@code *}. */
  boolean several() {
    return text.contains(EACH);
  }

  /** Returns the path with this step instead of {@code *}. */
  KindPath at(String step) {
    return new KindPath(text.replace(EACH, step));
  }

  /** The place of each value in the object, in its order. */
  List<Found> in(JsonNode object) {
    int star = text.indexOf("/" + EACH);
    if (star < 0) {
      return List.of(found(object, text, ""));
    }
    List<Found> all = new ArrayList<>();
    JsonNode parent = object.at(text.substring(0, star));
    if (parent.isArray()) {
      for (int i = 0; i < parent.size(); i++) {
        all.add(found(object, at(Integer.toString(i)).text(), Integer.toString(i)));
      }
    } else {
      parent.fieldNames().forEachRemaining(name -> all.add(found(object, at(name).text(), name)));
    }
    return all;
  }

  private static Found found(JsonNode object, String at, String step) {
    JsonNode value = object.at(at);
    return new Found(at, step, value.isMissingNode() || value.isNull() ? null : value);
  }

  @Override
  public int compareTo(KindPath other) {
    return text.compareTo(other.text);
  }
}
