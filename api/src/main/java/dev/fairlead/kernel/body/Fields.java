package dev.fairlead.kernel.body;

import dev.fairlead.kernel.problem.ProblemCode;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * An object's fields. A field becomes known when it is read: {@link #done} reports every other
 * field, with the nearest known name. A field with null counts as absent.
 */
public final class Fields {
  private final JsonNode object;
  private final String pointer;
  private final FieldProblems problems;
  private final SortedSet<String> known = new TreeSet<>();

  Fields(JsonNode object, String pointer, FieldProblems problems) {
    this.object = object;
    this.pointer = pointer;
    this.problems = problems;
  }

  public Optional<Value> get(String name) {
    known.add(name);
    JsonNode node = object.get(name);
    return node == null || node.isNull()
        ? Optional.empty()
        : Optional.of(new Value(node, at(name), problems));
  }

  /**
   * Like {@link #get}, but an absent field is a problem. {@code hint} describes the value to give.
   */
  public Optional<Value> required(String name, String hint) {
    Optional<Value> value = get(name);
    if (value.isEmpty()) {
      refuse(name, ProblemCode.INVALID_FIELD, name + " is missing: " + hint, null);
    }
    return value;
  }

  /** Returns whether the field is present and not null. The field becomes known. */
  public boolean has(String name) {
    return get(name).isPresent();
  }

  /** The bound value of a field, empty if the field is absent or has a problem. */
  public <T> Optional<T> sound(String name, @Nullable T bound) {
    return Optional.ofNullable(bound).filter(_ -> get(name).filter(Value::refused).isEmpty());
  }

  /**
   * Returns whether the field is null, which removes it in a merge patch. The field becomes known.
   */
  public boolean removes(String name) {
    known.add(name);
    return object.path(name).isNull();
  }

  /** The pointer of a field of this object. */
  public String at(String name) {
    return Value.below(pointer, name);
  }

  /** Reports a problem of a field. */
  public void refuse(String name, ProblemCode code, String detail, @Nullable String suggestion) {
    problems.add(at(name), code, detail, suggestion);
  }

  /** Reports a problem of this object as a whole. */
  public void refuse(ProblemCode code, String detail) {
    problems.add(pointer, code, detail, null);
  }

  public FieldProblems problems() {
    return problems;
  }

  /**
   * Reports unknown fields. Call it after reading every field. The problem of the first unknown
   * field without a similar name lists the known fields.
   */
  public void done() {
    boolean listed = false;
    for (String name : object.propertyNames()) {
      if (!known.contains(name)) {
        String near = problems.full() ? null : SpellingSuggestion.to(name, known).orElse(null);
        refuse(name, ProblemCode.UNKNOWN_FIELD, unknown(name, near, listed), near);
        listed |= near == null;
      }
    }
  }

  private String unknown(String name, @Nullable String near, boolean listed) {
    String what = "There is no field \"" + shown(name) + "\".";
    if (near != null) {
      return what + " Did you mean " + near + "?";
    }
    return listed ? what : what + " Known here: " + String.join(", ", known) + ".";
  }

  private static String shown(String name) {
    return name.length() <= 64 ? name : name.substring(0, 64) + "...";
  }
}
