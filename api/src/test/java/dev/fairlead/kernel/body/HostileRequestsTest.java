package dev.fairlead.kernel.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.problem.Refusal;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Size;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Binds bodies with values of every kind to each request record of the API. */
class HostileRequestsTest {
  private static final int BODIES = 200;

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

  /** A list without a limit may have a megabyte of items. */
  @ParameterizedTest
  @MethodSource("requests")
  void everyListHasALimit(Class<?> type) {
    assertThat(type.getRecordComponents())
        .filteredOn(component -> component.getType() == List.class)
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
      Map<String, @Nullable Object> body = HostileBodies.body(type, random);
      try {
        assertThat(BodyBinder.bind(HostileBodies.read(body), type.asSubclass(Record.class)))
            .isNotNull();
      } catch (Refusal refused) {
        assertThat(refused.problems()).isNotEmpty();
      } catch (RuntimeException e) {
        throw new AssertionError(type.getName() + " with " + body, e);
      }
    }
  }
}
