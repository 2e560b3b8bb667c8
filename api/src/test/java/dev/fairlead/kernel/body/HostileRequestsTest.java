package dev.fairlead.kernel.body;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.fairlead.kernel.problem.Refusal;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Size;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Binds bodies with values of every kind to each request record of the API. */
class HostileRequestsTest {
  private static final int BODIES = 200;
  private static final int DEEPEST = 3;

  /** Values of every kind, some of which each reader accepts. */
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

  static Stream<Class<?>> requests() throws IOException {
    Path classes =
        Path.of(BodyBinder.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    try (Stream<Path> files = Files.walk(classes)) {
      return files
          .map(file -> classes.relativize(file).toString())
          .filter(name -> name.endsWith(".class") && name.contains("/web/"))
          .sorted()
          .<Class<?>>map(name -> type(name.substring(0, name.length() - 6).replace('/', '.')))
          .filter(HostileRequestsTest::isRequest)
          .toList()
          .stream();
    }
  }

  private static Class<?> type(String name) {
    try {
      return Class.forName(name, false, BodyBinder.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isRequest(Class<?> type) {
    Schema schema = type.getAnnotation(Schema.class);
    return type.isRecord() && schema != null && schema.name().endsWith("Request");
  }

  @Test
  void requestsOfTheApiAreFound() throws IOException {
    assertThat(requests()).hasSizeGreaterThan(80);
  }

  /** A list without a limit may have a megabyte of items. A job spec has its own readers. */
  @ParameterizedTest
  @MethodSource("requests")
  void everyListHasALimit(Class<?> type) {
    assertThat(type.getRecordComponents())
        .filteredOn(component -> component.getType() == List.class)
        .filteredOn(_ -> !type.getName().contains(".SubmitJobRequest"))
        .filteredOn(component -> !component.getAccessor().isAnnotationPresent(Size.class))
        .filteredOn(HostileRequestsTest::withoutReader)
        .isEmpty();
  }

  private static boolean withoutReader(RecordComponent component) {
    JsonDeserialize given = component.getAccessor().getAnnotation(JsonDeserialize.class);
    return given == null || !FieldReader.class.isAssignableFrom(given.using());
  }

  /** Fails when a rule of a request reads a refused or absent value, which ends it with 500. */
  @ParameterizedTest
  @MethodSource("requests")
  void everyBodyIsBoundOrRefused(Class<?> type) {
    Random random = new Random(7);
    for (int i = 0; i < BODIES; i++) {
      Map<String, @Nullable Object> body = body(type, random, 0);
      try {
        assertThat(BodyBinder.bind(read(body), type.asSubclass(Record.class))).isNotNull();
      } catch (Refusal refused) {
        assertThat(refused.problems()).isNotEmpty();
      } catch (RuntimeException e) {
        throw new AssertionError(type.getName() + " with " + body, e);
      }
    }
  }

  private static Body read(Map<String, @Nullable Object> body) {
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
