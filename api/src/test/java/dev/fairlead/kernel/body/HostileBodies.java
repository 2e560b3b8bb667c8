package dev.fairlead.kernel.body;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Random bodies with the fields of a request record and values of every kind. */
public final class HostileBodies {
  private static final int DEEPEST = 3;

  /** Values of every kind, of which each reader accepts some. */
  private static final List<@Nullable Object> VALUES =
      Arrays.asList(
          null,
          true,
          0,
          1,
          -1,
          2_000_000_000_000L,
          0.5,
          1e300,
          "",
          "a",
          "A b/~",
          "x".repeat(300),
          "30m",
          "8h",
          "2030-01-31T08:00:00Z",
          "0 22 * * 1-5",
          "Europe/Berlin",
          "H100/RESERVED",
          "memory",
          "16Gi",
          "1 per 32",
          "Exists",
          "DRA",
          "POD_GROUP",
          "SLURM",
          "https://a.example.com",
          "DCGM_FR_UNKNOWN",
          "1g.10gb",
          "USD",
          List.of(),
          Arrays.asList((Object) null),
          List.of("a", "a"),
          List.of(1, List.of(List.of())),
          Map.of(),
          Map.of("a", "b"),
          Map.of("a", Map.of("a", List.of(1))));

  private HostileBodies() {}

  /** A body with about two thirds of the fields of the record. */
  public static Map<String, @Nullable Object> body(Class<?> type, Random random) {
    return body(type, random, 0);
  }

  /** The body as a request has it. */
  public static Body read(Map<String, @Nullable Object> body) {
    byte[] bytes = Body.text(body).getBytes(StandardCharsets.UTF_8);
    try {
      return BodyReader.json(new ByteArrayInputStream(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, @Nullable Object> body(Class<?> type, Random random, int depth) {
    Map<String, @Nullable Object> body = new TreeMap<>();
    for (RecordComponent component : type.getRecordComponents()) {
      if (random.nextInt(3) > 0) {
        JsonProperty other = component.getAccessor().getAnnotation(JsonProperty.class);
        body.put(
            other == null ? component.getName() : other.value(), value(component, random, depth));
      }
    }
    return body;
  }

  private static @Nullable Object value(RecordComponent component, Random random, int depth) {
    boolean list = component.getType() == List.class;
    Class<?> type = component.getType();
    if (component.getGenericType() instanceof ParameterizedType of
        && of.getActualTypeArguments()[0] instanceof Class<?> item) {
      type = item;
    }
    if (random.nextInt(4) == 0) {
      return VALUES.get(random.nextInt(VALUES.size()));
    }
    if (!list) {
      return one(type, random, depth);
    }
    List<@Nullable Object> items = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      items.add(one(type, random, depth));
    }
    return items;
  }

  private static @Nullable Object one(Class<?> type, Random random, int depth) {
    if (type.isEnum()) {
      Object[] constants = type.getEnumConstants();
      return ((Enum<?>) constants[random.nextInt(constants.length)]).name();
    }
    if (type.isRecord() && depth < DEEPEST) {
      return body(type, random, depth + 1);
    }
    if (type == Boolean.class) {
      return random.nextBoolean();
    }
    return type == Integer.class || type == Long.class
        ? (Object) random.nextInt(20)
        : VALUES.get(random.nextInt(VALUES.size()));
  }
}
