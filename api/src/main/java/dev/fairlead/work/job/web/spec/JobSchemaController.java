package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import io.swagger.v3.core.converter.AnnotatedType;
import io.swagger.v3.core.converter.ModelConverters;
import io.swagger.v3.core.converter.ResolvedSchema;
import io.swagger.v3.core.util.Json31;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.swagger.v3.oas.models.media.Schema;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.web.bind.annotation.GetMapping;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The job spec as a separate JSON Schema for editors: the schema of the OpenAPI document with an
 * example and the default of each field.
 */
@ApiController(ApiPaths.ROOT + "/schemas")
@Tag(name = "Service")
class JobSchemaController {
  private static final String IN_DOCUMENT = "#/components/schemas/";
  private static final String DIALECT = "https://json-schema.org/draft/2020-12/schema";
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final Properties FIELDS = fields();

  @Operation(
      operationId = "getJobSchema",
      summary = "Read the JSON Schema of a job spec",
      description =
          "Returns a schema for editors. To use it in a job file: # yaml-language-server:"
              + " $schema=<address of the service>/api/v1/schemas/job.json")
  @GetMapping("/job.json")
  Map<String, Object> job() {
    ResolvedSchema resolved =
        ModelConverters.getInstance(true)
            .resolveAsResolvedSchema(new AnnotatedType(SubmitJobRequest.class));
    ObjectNode definitions = MAPPER.createObjectNode();
    new TreeMap<>(resolved.referencedSchemas)
        .forEach((name, schema) -> definitions.set(name, exemplified(name, tree(schema))));
    ObjectNode root = (ObjectNode) definitions.remove("SubmitJobRequest");
    ObjectNode document = MAPPER.createObjectNode();
    document.put("$schema", DIALECT);
    document.put("$id", ApiPaths.v1("/schemas/job.json"));
    document.put("title", "Fairlead job");
    document.setAll(root);
    document.set("$defs", definitions);
    return MAPPER.convertValue(document, JsonMap.TYPE);
  }

  /** Reads {@code Map<String, Object>}. */
  private static final class JsonMap {
    static final tools.jackson.core.type.TypeReference<Map<String, Object>> TYPE =
        new tools.jackson.core.type.TypeReference<>() {};
  }

  /** Adds the example and the default of each property. */
  private static JsonNode exemplified(String name, JsonNode schema) {
    schema
        .path("properties")
        .properties()
        .forEach(property -> {
          ObjectNode described = (ObjectNode) property.getValue();
          String key = name + "." + property.getKey();
          String example = FIELDS.getProperty(key);
          String value = FIELDS.getProperty(key + ".default");
          if (example != null) {
            described.putArray("examples").add(MAPPER.readTree(example));
          }
          if (value != null && value.matches("[\\[{\"].*|[0-9]+|true|false")) {
            described.set("default", MAPPER.readTree(value));
          }
        });
    return schema;
  }

  private static Properties fields() {
    Properties fields = new Properties();
    String file = "/openapi/job-fields.properties";
    try (InputStream in = JobSchemaController.class.getResourceAsStream(file)) {
      fields.load(Objects.requireNonNull(in, file));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
    return fields;
  }

  /**
   * The properties are in alphabetical order. Their order in the schema depends on whether
   * springdoc has already written the API's document in this process.
   */
  private static JsonNode tree(Schema<?> schema) {
    try {
      String text = Json31.mapper().writeValueAsString(schema).replace(IN_DOCUMENT, "#/$defs/");
      ObjectNode tree = (ObjectNode) MAPPER.readTree(text);
      if (schema.getProperties() != null) {
        JsonNode written = tree.path("properties");
        ObjectNode ordered = tree.putObject("properties");
        new TreeSet<>(schema.getProperties().keySet())
            .forEach(name -> ordered.set(name, written.get(name)));
      }
      return tree;
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new IllegalStateException("a schema cannot be written", e);
    }
  }
}
