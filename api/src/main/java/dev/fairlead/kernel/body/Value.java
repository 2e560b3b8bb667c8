package dev.fairlead.kernel.body;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.DurationText;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * A value in a body. Each reader returns empty and reports a problem if the value has another kind
 * or is out of range. A number is never read as a text, nor a text as a number.
 */
public final class Value {
  private static final int LONGEST_SHOWN = 60;
  private static final Pattern INDEX = Pattern.compile("[0-9]{1,7}");
  private static final Instant LATEST = Instant.parse("9999-01-01T00:00:00Z");
  private final JsonNode node;
  private final String pointer;
  private final FieldProblems problems;

  Value(JsonNode node, String pointer, FieldProblems problems) {
    this.node = node;
    this.pointer = pointer;
    this.problems = problems;
  }

  public String pointer() {
    return pointer;
  }

  public FieldProblems problems() {
    return problems;
  }

  /** Returns the value with another list of problems. */
  public Value in(FieldProblems others) {
    return new Value(node, pointer, others);
  }

  JsonNode node() {
    return node;
  }

  /** Returns whether a problem of this value, or of a value in it, was reported. */
  public boolean refused() {
    return problems.concern(pointer);
  }

  public boolean isText() {
    return node.isString();
  }

  public boolean isNumber() {
    return node.isNumber();
  }

  public boolean isObject() {
    return node.isObject();
  }

  public boolean isList() {
    return node.isArray();
  }

  public boolean isFlag() {
    return node.isBoolean();
  }

  public boolean isInteger() {
    return node.isIntegralNumber();
  }

  public boolean isNothing() {
    return node.isNull();
  }

  /** The value as maps, lists, texts, numbers, booleans and nulls. */
  public Object tree() {
    return StrictJson.plain(node);
  }

  /** Replaces this value by a tree of maps, lists, texts, numbers and booleans. */
  public Value replacedBy(Object tree) {
    return new Value(StrictJson.tree(tree), pointer, problems);
  }

  /** The object without that field. */
  public Value without(String field) {
    if (node.deepCopy() instanceof ObjectNode copy) {
      copy.remove(field);
      return new Value(copy, pointer, problems);
    }
    return this;
  }

  /** Applies this object to another value as a merge patch (RFC 7396). */
  public Value appliedTo(Value other) {
    return new Value(MergePatch.apply(other.node, node), pointer, problems);
  }

  /** Reads a text that is not empty and has at most this many characters. */
  public Optional<String> text(int most) {
    if (!node.isString()) {
      return wrongKind("a text", node.isValueNode() ? "\"" + node.asString() + "\"" : null);
    }
    String text = node.stringValue();
    if (text.isEmpty() || text.length() > most) {
      return bad("must have 1 to " + most + " characters, not " + text.length(), null);
    }
    return Optional.of(text);
  }

  /** Like {@link #text}, but may be empty. */
  public Optional<String> anyText(int most) {
    return node.isString() && node.stringValue().isEmpty() ? Optional.of("") : text(most);
  }

  /** Like {@link #text}, for a confidential value that no message may repeat. */
  public Optional<String> secret(int most) {
    return node.isString() ? text(most) : wrongKind("a text", null);
  }

  /** A whole number, written without fraction or quotes. */
  public Optional<Integer> integer(int least, int most) {
    String range = "must be a whole number from " + least + " to " + most;
    if (!node.isIntegralNumber()) {
      boolean quoted = node.isString() && node.stringValue().matches("[0-9]{1,9}");
      return bad(range + ", not " + shown(), quoted ? node.stringValue() : null);
    }
    if (!node.canConvertToLong() || node.longValue() < least || node.longValue() > most) {
      boolean below = node.canConvertToLong() && node.longValue() < least;
      return bad(range + ", not " + shown(), Integer.toString(below ? least : most));
    }
    return Optional.of((int) node.longValue());
  }

  /** Like {@link #integer}, with more digits. */
  public Optional<Long> whole(long least, long most) {
    boolean within =
        node.isIntegralNumber()
            && node.canConvertToLong()
            && node.longValue() >= least
            && node.longValue() <= most;
    return within
        ? Optional.of(node.longValue())
        : bad("must be a whole number from " + least + " to " + most + ", not " + shown(), null);
  }

  /** A finite number. */
  public Optional<Double> number() {
    double value = node.doubleValue(Double.NaN);
    return node.isNumber() && Double.isFinite(value)
        ? Optional.of(value)
        : bad("must be a finite number, not " + shown(), null);
  }

  public Optional<Boolean> flag() {
    return node.isBoolean() ? Optional.of(node.booleanValue()) : wrongKind("true or false", null);
  }

  /** The exact name of a constant of the enum. */
  public <E extends Enum<E>> Optional<E> choice(Class<E> type) {
    return choice(Arrays.stream(type.getEnumConstants()).toList());
  }

  public <E extends Enum<E>> Optional<E> choice(List<E> allowed) {
    return oneOf(allowed.stream().map(Enum::name).toList())
        .flatMap(name -> allowed.stream().filter(e -> e.name().equals(name)).findFirst());
  }

  /** A constant by a name other than its Java name. */
  public <E> Optional<E> named(List<E> allowed, Function<E, String> name) {
    List<String> names = allowed.stream().map(name).toList();
    return oneOf(names).map(text -> allowed.get(names.indexOf(text)));
  }

  /** Names of the constants of an enum. */
  static List<String> names(Class<?> type) {
    return Arrays.stream(type.getEnumConstants()).map(each -> ((Enum<?>) each).name()).toList();
  }

  public Optional<String> oneOf(List<String> allowed) {
    String given = node.isString() ? node.stringValue() : null;
    if (given != null && allowed.contains(given)) {
      return Optional.of(given);
    }
    String near = given == null ? null : SpellingSuggestion.to(given, allowed).orElse(null);
    return bad("must be one of " + String.join(", ", allowed) + ", not " + shown(), near);
  }

  /** A duration such as {@code 90s 30m 48h 7d} within the bounds. */
  public Optional<Duration> duration(Duration least, Duration most) {
    Optional<Duration> read =
        node.isString() ? DurationText.parse(node.stringValue()) : Optional.empty();
    if (read.isEmpty()) {
      String near =
          node.isIntegralNumber() && node.canConvertToInt() ? node.intValue() + "s" : null;
      return bad(
          "must be a duration from "
              + DurationText.of(least)
              + " to "
              + DurationText.of(most)
              + " such as 90s, 30m, 48h or 7d, but is "
              + shown(),
          near);
    }
    if (read.get().compareTo(least) < 0 || read.get().compareTo(most) > 0) {
      return bad(
          "must be from "
              + DurationText.of(least)
              + " to "
              + DurationText.of(most)
              + ", not "
              + shown(),
          DurationText.of(read.get().compareTo(least) < 0 ? least : most));
    }
    return read;
  }

  /** RFC 3339 with an offset, before the year 9999. */
  public Optional<Instant> time() {
    if (node.isString()) {
      try {
        Instant at = OffsetDateTime.parse(node.stringValue().toUpperCase(Locale.ROOT)).toInstant();
        if (at.isAfter(Instant.EPOCH) && at.isBefore(LATEST)) {
          return Optional.of(at);
        }
      } catch (DateTimeException e) {
        return noTime();
      }
    }
    return noTime();
  }

  private Optional<Instant> noTime() {
    return bad(
        "must be a time from 1970 to 9998 such as 2030-01-31T08:00:00Z, not " + shown(), null);
  }

  /**
   * A quantity as written: the plain digits of a number, or the characters of a text. The caller
   * validates it.
   */
  public Optional<String> quantityText() {
    if (node.isString()) {
      return Optional.of(node.stringValue());
    }
    if (node.isNumber()) {
      BigDecimal number = node.decimalValue();
      boolean sane = number.precision() <= 24 && Math.abs(number.scale()) <= 24;
      return Optional.of(sane ? number.toPlainString() : "too many digits");
    }
    return wrongKind("an amount such as 2, 500m or 16Gi", null);
  }

  public Optional<Fields> fields() {
    return node.isObject()
        ? Optional.of(new Fields(node, pointer, problems))
        : wrongKind("an object with fields", null);
  }

  /**
   * The items of a list. Empty, with a problem, if the value is not a list or has too many items.
   */
  public List<Value> items(int most) {
    if (!node.isArray()) {
      wrongKind("a list", null);
      return List.of();
    }
    if (node.size() > most) {
      refuse(
          ProblemCode.LIMIT_EXCEEDED,
          last() + " has " + node.size() + " items; at most " + most + " are allowed",
          null);
      return List.of();
    }
    List<Value> items = new ArrayList<>();
    for (JsonNode item : node) {
      items.add(new Value(item, pointer + "/" + items.size(), problems));
    }
    return items;
  }

  /** Like {@link #items(int)}, for a list that must not be empty if it is given. */
  public List<Value> someItems(int most) {
    if (node.isArray() && node.isEmpty()) {
      refuse(ProblemCode.LIMIT_EXCEEDED, last() + " has no items. Give 1 to " + most, null);
    }
    return items(most);
  }

  /**
   * The values of an object by name. Empty, with a problem, if the value is not an object or has
   * too many fields.
   */
  public SortedMap<String, Value> entries(int most) {
    SortedMap<String, Value> entries = new TreeMap<>();
    if (!node.isObject()) {
      wrongKind("an object with names and values", null);
    } else if (node.size() > most) {
      refuse(
          ProblemCode.LIMIT_EXCEEDED,
          last() + " has " + node.size() + " entries; at most " + most + " are allowed",
          null);
    } else {
      node.properties()
          .forEach(e ->
              entries.put(
                  e.getKey(), new Value(e.getValue(), below(pointer, e.getKey()), problems)));
    }
    return entries;
  }

  /** A list of texts, or one text as a list of one. */
  public List<String> texts(int mostItems, int mostCharacters) {
    List<Value> items = node.isString() ? List.of(this) : items(mostItems);
    return items.stream().map(v -> v.text(mostCharacters)).flatMap(Optional::stream).toList();
  }

  /** Reports that the value is not acceptable. {@code detail} continues "name ...". */
  public <T> Optional<T> bad(String detail, @Nullable String suggestion) {
    refuse(ProblemCode.INVALID_FIELD, last() + " " + detail, suggestion);
    return Optional.empty();
  }

  public void refuse(ProblemCode code, String detail, @Nullable String suggestion) {
    problems.add(pointer, code, detail + ".", suggestion);
  }

  /** The value in a form for messages: shortened, on one line. */
  public String shown() {
    String text = node.isValueNode() ? beginning().toString() : kind(node);
    return text.length() <= LONGEST_SHOWN ? text : text.substring(0, LONGEST_SHOWN) + "...";
  }

  /** Reads only the first characters of a long text. */
  private JsonNode beginning() {
    return node.isString() && node.stringValue().length() > LONGEST_SHOWN
        ? StringNode.valueOf(node.stringValue().substring(0, LONGEST_SHOWN))
        : node;
  }

  /** Returns whether the value, as JSON, has more bytes than the limit. */
  public boolean isLarger(int bytes) {
    return StrictJson.isLarger(node, bytes);
  }

  private <T> Optional<T> wrongKind(String wanted, @Nullable String suggestion) {
    return bad("must be " + wanted + ", not " + kind(node), suggestion);
  }

  private String last() {
    if (pointer.isEmpty()) {
      return "The body";
    }
    int slash = pointer.lastIndexOf('/');
    String name = plain(pointer.substring(slash + 1));
    if (INDEX.matcher(name).matches()) {
      return plain(pointer.substring(pointer.lastIndexOf('/', slash - 1) + 1, slash))
          + "["
          + name
          + "]";
    }
    return name.isEmpty() ? "\"\"" : name;
  }

  private static String plain(String segment) {
    return segment.replace("~1", "/").replace("~0", "~");
  }

  static String below(String pointer, String name) {
    return pointer + "/" + name.replace("~", "~0").replace("/", "~1");
  }

  static String kind(JsonNode node) {
    return switch (node.getNodeType()) {
      case OBJECT -> "an object";
      case ARRAY -> "a list";
      case STRING -> "a text";
      case NUMBER -> "a number";
      case BOOLEAN -> "true or false";
      default -> "null";
    };
  }
}
