package dev.fairlead.kernel.postgres;

import java.io.StringWriter;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Values of the domain as {@code json}: columns with documents, and batches of rows as the single
 * parameter of a set-based statement ({@code json_to_recordset}). Names are those of the record
 * components. Unknown names are ignored, so that an older process can read the rows of a newer
 * process.
 */
public final class Json {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .build();
  private static final TypeReference<TreeMap<String, Object>> OBJECT = new TypeReference<>() {};
  private static final TypeReference<TreeMap<String, Long>> AMOUNTS = new TypeReference<>() {};
  private static final TypeReference<TreeMap<String, String>> TEXTS = new TypeReference<>() {};

  /** Component with the part of a record that changes. */
  private static final String STATUS = "status";

  /** Expected length of a row. */
  private static final int ROW_CHARACTERS = 400;

  private Json() {}

  public static String write(Object value) {
    return MAPPER.writeValueAsString(value);
  }

  /**
   * Rows for {@code json_to_recordset}. Keys are column names. Values of common types are written
   * without a serializer lookup, which was most of the cost of a row.
   */
  public static String rows(Collection<? extends Map<String, ?>> rows) {
    StringWriter text = new StringWriter(ROW_CHARACTERS * rows.size() + 2);
    try (JsonGenerator json = MAPPER.createGenerator(text)) {
      json.writeStartArray();
      for (Map<String, ?> row : rows) {
        json.writeStartObject();
        row.forEach((column, value) -> column(json, column, value));
        json.writeEndObject();
      }
      json.writeEndArray();
    }
    return text.toString();
  }

  private static void column(JsonGenerator json, String column, @Nullable Object value) {
    json.writeName(column);
    switch (value) {
      case null -> json.writeNull();
      case String text -> json.writeString(text);
      case UUID id -> json.writeString(id.toString());
      case Integer number -> json.writeNumber(number);
      case Long number -> json.writeNumber(number);
      case Boolean flag -> json.writeBoolean(flag);
      default -> MAPPER.writeValue(json, value);
    }
  }

  public static <T> T read(String text, Class<T> type) {
    return MAPPER.readValue(text, type);
  }

  public static <T> @Nullable T readOrNull(@Nullable String text, Class<T> type) {
    return text == null ? null : MAPPER.readValue(text, type);
  }

  /**
   * A document that also contains the components of its {@value #STATUS}, which have different
   * names. Statements and processes of every version read it in this form.
   */
  public static JsonNode flat(Object value) {
    ObjectNode document = MAPPER.valueToTree(value);
    ObjectNode status = (ObjectNode) document.remove(STATUS);
    return document.setAll(status);
  }

  /** The values as documents. The component of that name is an empty text instead of null. */
  public static JsonNode withText(Collection<?> values, String name) {
    JsonNode documents = MAPPER.valueToTree(values);
    documents
        .valueStream()
        .filter(each -> each.path(name).isNull())
        .forEach(each -> ((ObjectNode) each).put(name, ""));
    return documents;
  }

  public static <T> T readFlat(String text, Class<T> type) {
    return flat(MAPPER.readTree(text), type);
  }

  public static <T> List<T> readFlatList(String text, Class<T> type) {
    return MAPPER.readTree(text).valueStream().map(each -> flat(each, type)).toList();
  }

  private static <T> T flat(JsonNode flat, Class<T> type) {
    ObjectNode document = (ObjectNode) flat;
    document.set(STATUS, document.deepCopy());
    return MAPPER.treeToValue(document, type);
  }

  public static <T> T read(String text, TypeReference<T> type) {
    return MAPPER.readValue(text, type);
  }

  /** Strings, numbers and booleans by name. */
  public static SortedMap<String, Object> object(String text) {
    return MAPPER.readValue(text, OBJECT);
  }

  public static SortedMap<String, Long> amounts(String text) {
    return text.equals("{}") ? new TreeMap<>() : MAPPER.readValue(text, AMOUNTS);
  }

  public static SortedMap<String, String> texts(String text) {
    return text.equals("{}") ? new TreeMap<>() : MAPPER.readValue(text, TEXTS);
  }

  /**
   * A PostgreSQL array literal for {@code IN (SELECT unnest(CAST(:ids AS uuid[])))}. Never {@code =
   * ANY (CAST(...))}: as the filter of a scan, it would parse the text for every row.
   */
  public static String ids(Collection<UUID> ids) {
    StringBuilder text = new StringBuilder("{");
    for (UUID id : ids) {
      text.append(text.length() == 1 ? "" : ",").append(id);
    }
    return text.append('}').toString();
  }
}
