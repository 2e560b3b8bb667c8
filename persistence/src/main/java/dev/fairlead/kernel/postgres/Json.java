package dev.fairlead.kernel.postgres;

import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Values of the domain as {@code json}: columns with documents, and batches of rows as the single
 * parameter of a set-based statement ({@code json_to_recordset}). Names are those of the record
 * components. Unknown names are ignored, so that an older process can read rows of a newer one.
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

  private Json() {}

  public static String write(Object value) {
    return MAPPER.writeValueAsString(value);
  }

  /** Rows for {@code json_to_recordset}. Keys are column names. */
  public static String rows(Collection<? extends Map<String, ?>> rows) {
    return MAPPER.writeValueAsString(rows);
  }

  public static <T> T read(String text, Class<T> type) {
    return MAPPER.readValue(text, type);
  }

  public static <T> @Nullable T readOrNull(@Nullable String text, Class<T> type) {
    return text == null ? null : MAPPER.readValue(text, type);
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
