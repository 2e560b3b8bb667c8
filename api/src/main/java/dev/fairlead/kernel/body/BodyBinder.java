package dev.fairlead.kernel.body;

import dev.fairlead.kernel.problem.ProblemCode;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.ElementKind;
import jakarta.validation.Path;
import jakarta.validation.Validation;
import jakarta.validation.Validator;
import jakarta.validation.groups.Default;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.hibernate.validator.HibernateValidator;
import org.hibernate.validator.messageinterpolation.ParameterMessageInterpolator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Binds a body to a request record: Jackson reads the values, Bean Validation checks the
 * constraints of the components, and the API document shows the same annotations. All problems of
 * the body are reported together, each with its JSON pointer, the bounds and a suggestion.
 *
 * <p>A component without {@code @Nullable} is required. Components are objects such as {@code
 * Integer}, never primitive values, so that a missing one is distinct from 0. A record with fields
 * that depend on each other implements {@link RequestRules}.
 */
public final class BodyBinder {
  /** Each binding reads the whole body and finds up to {@value FieldProblems#MOST} values. */
  private static final int MOST_BINDINGS = 6;

  /**
   * Later problems of a refused body are not searched, because each has a cost and only a few are
   * shown.
   */
  private static final int MOST_REFUSED = 10 * FieldProblems.MOST;

  private static final Validator VALIDATOR =
      Validation.byProvider(HibernateValidator.class)
          .configure()
          .messageInterpolator(new ParameterMessageInterpolator())
          .buildValidatorFactory()
          .getValidator();

  private BodyBinder() {}

  /**
   * @param groups constraints that apply in addition to constraints without a group
   * @throws dev.fairlead.kernel.problem.Refusal MALFORMED_BODY unless the body is an object,
   *     otherwise with every problem of its fields
   */
  public static <T extends Record> T bind(Body body, Class<T> type, Class<?>... groups) {
    FieldProblems problems = new FieldProblems();
    Optional<T> record = read(body.value(problems), type, groups);
    problems.refuse();
    return record.orElseThrow();
  }

  /**
   * Binds a body, with a part of it handled by another reader. Problems are added to the list of
   * the value.
   *
   * @param value the body, or an object in it
   * @param groups as for {@link #bind}
   * @return the record with null for each value of a wrong kind, or empty without a record or with
   *     too many such values
   */
  public static <T extends Record> Optional<T> read(
      Value value, Class<T> type, Class<?>... groups) {
    SortedMap<String, String> refused = new TreeMap<>();
    longLists("", value.node(), type, refused);
    RequestMapper.Bound<T> bound = RequestMapper.bind(without(value.node(), refused), type);
    for (int bindings = 1; bound.record() == null && bindings < MOST_BINDINGS; bindings++) {
      bound.refused().forEach(pointer -> refused.put(pointer, "is not acceptable"));
      bound = RequestMapper.bind(without(value.node(), refused), type);
    }
    T record = bound.record();
    if (record != null) {
      violations("", record, value.node(), groups(groups), refused);
    }
    SortedMap<String, String> absolute = new TreeMap<>();
    refused.forEach((pointer, message) -> absolute.put(value.pointer() + pointer, message));
    refuse(value.fields().orElseThrow(), type, record, absolute);
    return Optional.ofNullable(record);
  }

  /**
   * Binds an object in a body that another reader reads. Empty if a problem of the object was
   * reported.
   */
  public static <T extends Record> Optional<T> part(Value value, Class<T> type) {
    FieldProblems own = new FieldProblems();
    Value part = value.in(own);
    Optional<T> record = part.fields().isEmpty() ? Optional.empty() : read(part, type);
    value.problems().addAll(own);
    return record.filter(_ -> own.none());
  }

  private static SortedSet<String> given(JsonNode object) {
    SortedSet<String> given = new TreeSet<>(object.propertyNames());
    given.removeIf(name -> object.path(name).isNull());
    return given;
  }

  /**
   * Adds lists with more items than allowed, whose items are not read: the cost of each violated
   * constraint grows with the size of its record, so that many items would take minutes.
   */
  private static void longLists(
      String at, JsonNode node, Class<? extends Record> type, SortedMap<String, String> refused) {
    for (RequestField field : RequestField.of(type)) {
      if (refused.size() > MOST_REFUSED) {
        return;
      }
      String below = Value.below(at, field.name());
      JsonNode of = node.path(field.name());
      Class<? extends Record> nested = field.nested();
      if (of.isArray() && of.size() > field.mostItems()) {
        refused.put(below, "has too many items");
      } else if (nested != null && of.isObject()) {
        longLists(below, of, nested, refused);
      } else if (nested != null && of.isArray()) {
        for (int i = 0; i < of.size(); i++) {
          longLists(below + "/" + i, of.path(i), nested, refused);
        }
      }
    }
  }

  /**
   * The tree with null for each refused value, so that the constraints of the other values are
   * checked. A list with a refused item is null as a whole.
   */
  private static JsonNode without(JsonNode tree, SortedMap<String, String> refused) {
    if (refused.isEmpty()) {
      return tree;
    }
    JsonNode copy = tree.deepCopy();
    for (String pointer : refused.keySet()) {
      String at = pointer;
      int last = at.lastIndexOf('/');
      while (last > 0 && !copy.at(at.substring(0, last)).isObject()) {
        at = at.substring(0, last);
        last = at.lastIndexOf('/');
      }
      if (last >= 0 && copy.at(at.substring(0, last)) instanceof ObjectNode parent) {
        parent.putNull(at.substring(last + 1).replace("~1", "/").replace("~0", "~"));
      }
    }
    return copy;
  }

  private static Class<?>[] groups(Class<?>... groups) {
    List<Class<?>> all = new ArrayList<>(List.of(groups));
    all.add(Default.class);
    return all.toArray(Class<?>[]::new);
  }

  /**
   * Adds the violated constraints and the conflicts of a record, and of the records in it with or
   * without {@code @Valid}, which is easily forgotten. The message for a refused value remains.
   */
  private static void violations(
      String at,
      Record record,
      JsonNode node,
      Class<?>[] groups,
      SortedMap<String, String> refused) {
    if (refused.size() > MOST_REFUSED) {
      return;
    }
    SortedMap<String, String> found = new TreeMap<>();
    for (ConstraintViolation<Record> violation : VALIDATOR.validate(record, groups)) {
      found.merge(
          at + pointer(record.getClass(), violation.getPropertyPath()),
          violation.getMessage(),
          (one, other) -> one.compareTo(other) < 0 ? one : other);
    }
    found.forEach((pointer, message) -> refused.putIfAbsent(pointer, message));
    if (record instanceof RequestRules rules) {
      rules
          .conflicts(given(node))
          .forEach((name, message) -> refused.putIfAbsent(Value.below(at, name), message));
    }
    for (RequestField field : RequestField.of(record.getClass())) {
      String below = Value.below(at, field.name());
      Object value = field.nested() == null ? null : field.of(record);
      JsonNode of = node.path(field.name());
      if (value instanceof Record nested) {
        violations(below, nested, of, groups, refused);
      } else if (value instanceof List<?> items) {
        for (int i = 0; i < items.size(); i++) {
          if (items.get(i) instanceof Record nested) {
            violations(below + "/" + i, nested, of.path(i), groups, refused);
          }
        }
      }
    }
  }

  /**
   * Constraints of nested records are checked with the nested record, so its names are not here.
   */
  private static String pointer(Class<?> type, Path path) {
    String pointer = "";
    for (Path.Node step : path) {
      if (step.getIndex() != null) {
        pointer = Value.below(pointer, step.getIndex().toString());
      }
      if (step.getKey() != null) {
        pointer = Value.below(pointer, step.getKey().toString());
      }
      if (step.getKind() == ElementKind.PROPERTY) {
        pointer = Value.below(pointer, RequestField.nameOf(type, step.getName()));
      }
    }
    return pointer;
  }

  /**
   * Reports the problems of an object in the order of its record's components, then those of its
   * rules.
   *
   * @param record null if the record of the body, or the object itself, is refused
   */
  private static void refuse(
      Fields fields,
      Class<? extends Record> type,
      @Nullable Object record,
      SortedMap<String, String> refused) {
    for (RequestField field : RequestField.of(type)) {
      Object bound = record instanceof Record of ? field.of(of) : null;
      Optional<Value> value =
          field.required() ? fields.required(field.name(), field.hint()) : fields.get(field.name());
      value.ifPresentOrElse(
          given -> refuse(given, field, bound, refused),
          () -> refuseAbsent(fields, field, refused));
    }
    if (record instanceof RequestRules rules) {
      rules.check(fields);
    }
    fields.done();
  }

  /** Reports a field that another field of the request requires. */
  private static void refuseAbsent(
      Fields fields, RequestField field, SortedMap<String, String> refused) {
    String message = refused.get(fields.at(field.name()));
    if (message != null && !field.required()) {
      fields.refuse(
          field.name(), ProblemCode.INVALID_FIELD, field.name() + " " + message + ".", null);
    }
  }

  private static void refuse(
      Value value, RequestField field, @Nullable Object bound, SortedMap<String, String> refused) {
    String message = refused.get(value.pointer());
    Class<? extends Record> nested = field.nested();
    if (message != null) {
      field.refuse(value, message, false);
    } else if (nested != null && value.isObject()) {
      refuse(value.fields().orElseThrow(), nested, bound, refused);
    } else if (value.isList()) {
      List<Value> items = value.items(Integer.MAX_VALUE);
      for (int i = 0; i < items.size(); i++) {
        Value item = items.get(i);
        String wrong = refused.get(item.pointer());
        if (wrong != null) {
          field.refuse(item, wrong, true);
        } else if (nested != null) {
          Object its = bound instanceof List<?> list && i < list.size() ? list.get(i) : null;
          item.fields().ifPresent(fields -> refuse(fields, nested, its, refused));
        }
      }
    }
  }
}
