package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.service.PoolDraft;
import dev.fairlead.fleet.cluster.service.PoolView;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.pool.PoolSelector.Operator;
import dev.fairlead.fleet.node.pool.PoolSelector.Requirement;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** Reads pools from request bodies. Label selectors have the form of Kubernetes. */
final class PoolReader {
  private static final int MOST = 64;
  private static final int LONGEST_NAME = 40;
  private static final int LONGEST_SPARES = 20;
  private static final int LONGEST_KEY = 317;
  private static final int LONGEST_DESCRIPTION = 200;
  private static final List<String> OPERATORS =
      Arrays.stream(Operator.values()).map(Operator::text).toList();

  private PoolReader() {}

  /** Returns the draft. Valid only if no problem was reported. */
  static PoolDraft read(Fields pool) {
    Optional<String> name =
        pool.required("name", "a DNS label.").flatMap(v -> Names.label(v, LONGEST_NAME));
    PoolWindowsReader.refuseAlone(pool, pool);
    return rest(pool, name.orElse(""));
  }

  /** Returns the pool after a patch. Valid only if no problem was reported. */
  static PoolDraft patched(PoolView now, Body body, FieldProblems problems) {
    Fields patch = body.fields(problems);
    SortedMap<String, Object> stored = fields(now);
    PoolWindowsReader.prepare(now.pool().windows(), patch, stored);
    Fields merged = body.appliedTo(stored).fields(problems);
    if (merged.has("name")) {
      merged.refuse(
          "name",
          ProblemCode.INVALID_FIELD,
          "The name of a pool cannot change. Create another pool.",
          null);
    }
    PoolWindowsReader.refuseAlone(patch, merged);
    return rest(merged, now.pool().name());
  }

  /** The current fields in the form of a request. */
  private static SortedMap<String, Object> fields(PoolView view) {
    SortedMap<String, Object> fields = new TreeMap<>();
    if (view.tenant() != null) {
      fields.put("tenant", view.tenant());
    }
    if (!view.pool().spares().none()) {
      fields.put("spares", view.pool().spares().text());
    }
    fields.putAll(PoolWindowsReader.fields(view.pool().windows()));
    fields.put("description", view.pool().description());
    fields.put("selector", PoolResponse.Selector.of(view.pool().selector()));
    return fields;
  }

  private static PoolDraft rest(Fields pool, String name) {
    Optional<String> tenant = pool.get("tenant").flatMap(v -> Names.label(v, Names.LONGEST_LABEL));
    Optional<String> description =
        pool.get("description").flatMap(v -> v.anyText(LONGEST_DESCRIPTION));
    PoolWindows windows = PoolWindowsReader.read(pool);
    Optional<Spares> spares = pool.get("spares").flatMap(PoolReader::spares);
    Optional<PoolSelector> selector =
        pool.required("selector", "the nodes that belong to it.")
            .flatMap(Value::fields)
            .map(PoolReader::selector);
    pool.done();
    return new PoolDraft(
        name,
        tenant.orElse(null),
        selector.orElse(new PoolSelector(List.of(), List.of(), new TreeMap<>(), List.of())),
        description.orElse(""),
        spares.orElse(Spares.NONE),
        windows);
  }

  private static Optional<Spares> spares(Value value) {
    return value
        .text(LONGEST_SPARES)
        .flatMap(text -> {
          Optional<Spares> read = Spares.parse(text);
          return read.isPresent()
              ? read
              : value.bad(
                  "must be a number of spare nodes per number of nodes, with at most "
                      + Spares.MOST,
                  "1 per 32");
        });
  }

  /** Reads labels of nodes, none without the field. */
  static SortedMap<String, String> labels(Fields fields, String name) {
    SortedMap<String, String> labels = new TreeMap<>();
    fields
        .get(name)
        .map(v -> v.entries(MOST))
        .orElse(new TreeMap<>())
        .forEach((key, value) -> {
          if (key(key, value)) {
            labelValue(value).ifPresent(text -> labels.put(key, text));
          }
        });
    return labels;
  }

  private static PoolSelector selector(Fields fields) {
    SortedMap<String, String> labels = labels(fields, "matchLabels");
    List<Requirement> expressions =
        list(fields, "matchExpressions", v -> v.fields().flatMap(PoolReader::requirement));
    PoolSelector selector =
        new PoolSelector(
            list(fields, "clusters", v -> Names.label(v, Names.LONGEST_LABEL)),
            list(fields, "models", Names::word),
            labels,
            expressions);
    fields.done();
    if (selector.empty()) {
      fields.refuse(
          ProblemCode.INVALID_FIELD,
          "An empty selector would match the whole fleet. Set clusters, models, matchLabels or"
              + " matchExpressions.");
    }
    return selector;
  }

  private static <T> List<T> list(Fields fields, String name, Function<Value, Optional<T>> read) {
    return fields.get(name).map(v -> v.items(MOST)).orElse(List.of()).stream()
        .map(read)
        .flatMap(Optional::stream)
        .distinct()
        .toList();
  }

  private static Optional<Requirement> requirement(Fields fields) {
    Optional<Value> keyed = fields.required("key", "a label of nodes.");
    Optional<String> key = keyed.flatMap(v -> v.text(LONGEST_KEY).filter(text -> key(text, v)));
    Optional<Operator> operator =
        fields
            .required("operator", "one of " + String.join(", ", OPERATORS) + ".")
            .flatMap(v -> v.oneOf(OPERATORS))
            .flatMap(text ->
                Stream.of(Operator.values()).filter(o -> o.text().equals(text)).findFirst());
    List<String> values = new ArrayList<>(list(fields, "values", PoolReader::labelValue));
    operator.ifPresent(o -> {
      boolean compares = o == Operator.IN || o == Operator.NOT_IN;
      if (compares == values.isEmpty()) {
        fields.refuse(
            "values",
            ProblemCode.CONFLICTING_FIELDS,
            o.text() + (compares ? " needs values." : " takes no values."),
            null);
      }
    });
    fields.done();
    return key.flatMap(k -> operator.map(o -> new Requirement(k, o, values)));
  }

  private static boolean key(String key, Value value) {
    int slash = key.indexOf('/');
    boolean good =
        Names.isWord(key.substring(slash + 1))
            && (slash < 0 || Names.isSubdomain(key.substring(0, slash)));
    if (!good) {
      Optional<String> _ =
          value.bad("is not a label key: a name with an optional DNS prefix and /", null);
    }
    return good;
  }

  private static Optional<String> labelValue(Value value) {
    Optional<String> text = value.anyText(Names.LONGEST_LABEL);
    return text.filter(String::isEmpty).isPresent() ? text : text.flatMap(t -> Names.word(value));
  }
}
