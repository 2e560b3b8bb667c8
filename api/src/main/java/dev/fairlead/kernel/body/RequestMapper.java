package dev.fairlead.kernel.body;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import dev.fairlead.kernel.resources.DurationText;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.CollectingProblemHandler;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.exc.DeferredBindingException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleDeserializers;
import tools.jackson.databind.module.SimpleModule;

/**
 * Binds a tree to a record with Jackson. Scalars are strict: a text is never read as a number nor a
 * number as a text. Every value of a wrong kind is collected instead of ending the binding. A list
 * has no null items.
 */
final class RequestMapper {
  static final Duration LONGEST = Duration.ofDays(3650);
  private static final ObjectReader READER = reader();

  private RequestMapper() {}

  /**
   * A record, complete up to the value that ended the binding.
   *
   * @param record null when a value ended the binding
   * @param refused JSON pointers of values of a wrong kind
   */
  record Bound<T>(@Nullable T record, SortedSet<String> refused) {}

  static <T extends Record> Bound<T> bind(JsonNode tree, Class<T> type) {
    ObjectReader reader = READER.forType(type);
    try {
      T record = reader.readValueCollectingProblems(reader.treeAsTokens(tree));
      return new Bound<>(record, new TreeSet<>());
    } catch (DeferredBindingException collected) {
      SortedSet<String> refused = new TreeSet<>();
      collected.getProblems().forEach(problem -> refused.add(problem.getPath().toString()));
      return new Bound<>(null, refused);
    } catch (JacksonException ended) {
      return new Bound<>(null, new TreeSet<>(List.of(pointer(ended))));
    }
  }

  private static String pointer(JacksonException ended) {
    String pointer = "";
    for (JacksonException.Reference step : ended.getPath()) {
      pointer =
          Value.below(
              pointer,
              step.getPropertyName() == null
                  ? Integer.toString(step.getIndex())
                  : step.getPropertyName());
    }
    return pointer;
  }

  private static ObjectReader reader() {
    SimpleModule strict = new SimpleModule("strict values");
    strict.setDeserializers(new StrictEnums());
    add(
        strict,
        String.class,
        node -> Optional.ofNullable(node.isString() ? node.stringValue() : null));
    add(
        strict,
        Boolean.class,
        node -> Optional.ofNullable(node.isBoolean() ? node.booleanValue() : null));
    add(
        strict,
        Integer.class,
        node ->
            Optional.ofNullable(
                node.isIntegralNumber() && node.canConvertToInt() ? node.intValue() : null));
    add(
        strict,
        Long.class,
        node ->
            Optional.ofNullable(
                node.isIntegralNumber() && node.canConvertToLong() ? node.longValue() : null));
    add(strict, BigDecimal.class, node -> AmountFields.amount(read(node)));
    add(strict, Instant.class, node -> read(node).time());
    add(
        strict,
        Duration.class,
        node -> node.isString() ? DurationText.parse(node.stringValue()) : Optional.empty());
    return JsonMapper.builder()
        .addModule(strict)
        .withConfigOverride(
            List.class,
            lists -> lists.setNullHandling(JsonSetter.Value.forContentNulls(Nulls.FAIL)))
        .build()
        .reader()
        .problemCollectingReader(new Collecting(FieldProblems.MOST));
  }

  /**
   * The value for a reader of {@link Value}. The reader of the refused value reports the problem.
   */
  private static Value read(JsonNode node) {
    return new Value(node, "", new FieldProblems());
  }

  private static <T> void add(
      SimpleModule module, Class<T> type, Function<JsonNode, Optional<T>> read) {
    module.addDeserializer(type, new Strict<>(type, read));
  }

  /** Reads one value of its kind only. */
  private static final class Strict<T> extends StdDeserializer<T> {
    private final Class<T> type;
    private final Function<JsonNode, Optional<T>> read;

    Strict(Class<T> type, Function<JsonNode, Optional<T>> read) {
      super(type);
      this.type = type;
      this.read = read;
    }

    @Override
    @SuppressWarnings("NullAway") // a value of a wrong kind is null until it is reported
    public T deserialize(JsonParser parser, DeserializationContext context) {
      return read.apply(context.readTree(parser))
          .orElseGet(() -> type.cast(context.handleWeirdStringValue(type, "", "of another kind")));
    }
  }

  /** Reads the exact name of a constant: no number and no other case. */
  private static final class StrictEnums extends SimpleDeserializers {
    @Override
    public ValueDeserializer<?> findEnumDeserializer(
        JavaType type, DeserializationConfig config, BeanDescription.Supplier description) {
      Object[] constants = type.getRawClass().getEnumConstants();
      List<String> names = Value.names(type.getRawClass());
      return new Strict<>(
          Object.class,
          node -> read(node).oneOf(names).map(name -> constants[names.indexOf(name)]));
    }
  }

  /** Collects structures of a wrong kind as well. */
  private static final class Collecting extends CollectingProblemHandler {
    Collecting(int most) {
      super(most);
    }

    /** The names of an object are compared with those of its record in any case. */
    @Override
    public boolean handleUnknownProperty(
        DeserializationContext context,
        JsonParser parser,
        ValueDeserializer<?> deserializer,
        Object beanOrClass,
        String name) {
      parser.skipChildren();
      return true;
    }

    @Override
    public Object handleUnexpectedToken(
        DeserializationContext context,
        JavaType type,
        JsonToken token,
        JsonParser parser,
        String message) {
      Object handled = handleWeirdStringValue(context, type.getRawClass(), "", "of another kind");
      parser.skipChildren();
      return handled;
    }
  }
}
