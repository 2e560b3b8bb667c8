package dev.fairlead.kernel.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each controller that reads If-Match only if it is given has it as an optional parameter. */
class OptionalTagTest {
  private static final Path CONTROLLERS = Path.of("src/main/java/dev/fairlead");
  private static final Path API = Path.of("../openapi/openapi.yaml");
  private static final Pattern OPERATION = Pattern.compile("operationId = \"(\\w+)\"");

  /** Fails when a generated client requires a header that the service does not need. */
  @Test
  void ifMatchIsRequiredWhereTheControllerDemandsIt() throws IOException {
    String api = Files.readString(API);
    SortedMap<String, Boolean> declared = new TreeMap<>();
    SortedMap<String, Boolean> demanded = demanded();
    demanded.keySet().forEach(id -> declared.put(id, declared(api, id)));

    assertThat(declared).hasSizeGreaterThan(20).isEqualTo(demanded);
  }

  /** By operation, for all that read If-Match in the method itself. */
  private static SortedMap<String, Boolean> demanded() throws IOException {
    SortedMap<String, Boolean> all = new TreeMap<>();
    try (Stream<Path> files = Files.walk(CONTROLLERS)) {
      files
          .filter(file -> file.toString().endsWith("Controller.java"))
          .forEach(file -> {
            for (String method : text(file).split("@Operation\\(")) {
              Matcher id = OPERATION.matcher(method);
              boolean optional = method.contains("options.ifGiven(");
              if (id.find() && (optional || method.contains("options.expected("))) {
                all.put(id.group(1), !optional);
              }
            }
          });
    }
    return all;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean declared(String api, String id) {
    int begin = api.indexOf("operationId: " + id + "\n");
    int header = api.indexOf("name: If-Match", begin);
    String at = api.substring(header, api.indexOf("schema:", header));
    return at.contains("required: true");
  }
}
