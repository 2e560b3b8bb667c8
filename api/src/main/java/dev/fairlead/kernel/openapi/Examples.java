package dev.fairlead.kernel.openapi;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Request and response examples, one file each, named after the operation. */
final class Examples {
  private static final String FOLDER = "/openapi-examples/";
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final Load YAML = new Load(LoadSettings.builder().build());

  private Examples() {}

  /** The request as JSON: a tree of plain values. */
  static Optional<Object> request(String operation) {
    return json(operation + ".request.json");
  }

  /** Returns the example request as a tree of plain values, for YAML. */
  static Optional<Object> yamlRequest(String operation) {
    return text(operation + ".request.yaml").map(text -> YAML.loadFromString(text));
  }

  static Optional<Object> response(String operation) {
    return json(operation + ".response.json");
  }

  static Optional<String> textResponse(String operation) {
    return text(operation + ".response.txt");
  }

  private static Optional<Object> json(String file) {
    return text(file).map(text -> plain(MAPPER.readTree(text)));
  }

  private static Object plain(JsonNode node) {
    return MAPPER.convertValue(node, Object.class);
  }

  private static Optional<String> text(String file) {
    try (InputStream in = Examples.class.getResourceAsStream(FOLDER + file)) {
      return in == null
          ? Optional.empty()
          : Optional.of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
