package dev.fairlead.work.job.web.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The service accepts exactly the numbers and texts that the document permits for a field. */
class NumberFormsTest {
  private static final Path DOCUMENT =
      Path.of(System.getProperty("fairlead.root", "..")).resolve("openapi/openapi.yaml");

  /** Read once: it has tens of thousands of lines. */
  private static final Object READ = read();

  /** Fails when the document has no bounds of the number, or others than the service. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SubmitJobRequest | gpu       | 1     | {image: x, gpu: %s}",
        "SubmitJobRequest | cpu       | 0.001 | {image: x, cpu: %s}",
        "SubmitJobRequest | memory    | 1     | {image: x, memory: %s}",
        "SubmitJobRequest | shm       | 1     | {image: x, memory: 1Pi, shm: %s}",
        "RoleRequest      | gpu       | 1     | {roles: [{name: a, image: x, gpu: %s}]}",
        "RoleRequest      | cpu       | 0.001 | {roles: [{name: a, image: x, cpu: %s}]}",
        "RoleRequest      | memory    | 1     | {roles: [{name: a, image: x, memory: %s}]}",
        "RoleRequest      | shm       | 1     | {roles: [{name: a, image: x, memory: 1Pi, shm:"
            + " %s}]}",
        "GpuRequest       | memory    | 1     | {image: x, gpu: {memory: %s}}",
        "GpuRequest       | minMemory | 1     | {image: x, gpu: {count: 1, minMemory: %s}}"
      })
  void documentedBoundsOfANumberMatchTheService(
      String request, String field, BigDecimal step, String spec) {
    Map<?, ?> form = number(request, field);
    BigDecimal least = new BigDecimal(String.valueOf(form.get("minimum")));
    BigDecimal most = new BigDecimal(String.valueOf(form.get("maximum")));

    for (BigDecimal good : List.of(least, most)) {
      assertThat(Specs.spec(spec.formatted(good.toPlainString()))).isNotNull();
    }
    for (BigDecimal bad : List.of(least.subtract(step), most.add(step))) {
      assertThat(Specs.problems(spec.formatted(bad.toPlainString()))).isNotEmpty();
    }
  }

  private static Object read() {
    try (Reader text = Files.newBufferedReader(DOCUMENT)) {
      return new Load(LoadSettings.builder().setCodePointLimit(Integer.MAX_VALUE).build())
          .loadFromReader(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<?, ?> number(String request, String field) {
    Object found = READ;
    for (String name : List.of("components", "schemas", request, "properties", field, "oneOf")) {
      found = Objects.requireNonNull(((Map<?, ?>) found).get(name));
    }
    return ((List<?>) found)
        .stream()
            .map(form -> (Map<?, ?>) form)
            .filter(form -> List.of("integer", "number").contains(form.get("type")))
            .findFirst()
            .orElseThrow();
  }
}
