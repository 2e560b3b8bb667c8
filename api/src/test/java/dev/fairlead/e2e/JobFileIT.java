package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The reference of the job file, written from the schema that editors read. */
@Tag("openapi")
class JobFileIT {
  private static final Path PAGE =
      Path.of(System.getProperty("fairlead.root", "..")).resolve("docs/reference/job-file.md");
  private static final String DEFAULT = " Default: ";
  private static final String BEGIN = "<!-- fields -->\n";
  private static final JsonNode SCHEMA =
      RunningFairlead.shared().http().get("/api/v1/schemas/job.json").json();
  private static final Map<String, String> TITLES =
      Map.ofEntries(
          Map.entry("RoleRequest", "Role"),
          Map.entry("ContainerRequest", "Container"),
          Map.entry("GpuRequest", "GPU"),
          Map.entry("MigRequest", "MIG"),
          Map.entry("TopologyRequest", "Topology"),
          Map.entry("PlacementRequest", "Placement"),
          Map.entry("VolumeRequest", "Volume"),
          Map.entry("DependencyRequest", "Dependency"),
          Map.entry("PreemptionRequest", "Preemption"),
          Map.entry("PreflightRequest", "Preflight"),
          Map.entry("ProgressRequest", "Progress"),
          Map.entry("GangRepairRequest", "Gang repair"),
          Map.entry("WorkdirRequest", "Workdir"),
          Map.entry("RetryRequest", "Retry"),
          Map.entry("SegmentRequest", "Segment"),
          Map.entry("SpreadRequest", "Spread"),
          Map.entry("SecretKeyRequest", "Secret key"));

  /** Fails when the page lacks a field, or has another type, default or example. */
  @Test
  void jobFilePageMatchesTheSchema() throws IOException {
    String page = Files.readString(PAGE);
    String written = page.substring(0, page.indexOf(BEGIN)) + BEGIN + tables();
    if (Boolean.getBoolean("fairlead.update")) {
      Files.writeString(PAGE, written);
    }
    assertThat(PAGE).as("out of date: make openapi").hasContent(written);
  }

  /** Fails when a field has no example for people and editors. */
  @Test
  void everyFieldHasAnExample() {
    List<String> without = new ArrayList<>();
    fields(SCHEMA).forEach((name, field) -> note("job." + name, field, without));
    SCHEMA
        .get("$defs")
        .properties()
        .forEach(part ->
            fields(part.getValue())
                .forEach((name, field) -> note(part.getKey() + "." + name, field, without)));
    assertThat(without).as("add to openapi/job-fields.properties").isEmpty();
  }

  private static void note(String name, JsonNode field, List<String> without) {
    if (field.path("examples").isEmpty()) {
      without.add(name);
    }
  }

  private static Map<String, JsonNode> fields(JsonNode schema) {
    return schema.path("properties").properties().stream()
        .collect(
            Collectors.toMap(
                Map.Entry::getKey, Map.Entry::getValue, (a, b) -> a, java.util.LinkedHashMap::new));
  }

  private static String tables() {
    StringBuilder page = new StringBuilder(table("Fields of a job", SCHEMA));
    for (Map.Entry<String, JsonNode> part : SCHEMA.get("$defs").properties()) {
      page.append(table(title(part.getKey()), part.getValue()));
    }
    return page.toString();
  }

  private static String title(String schema) {
    return TITLES.getOrDefault(schema, schema);
  }

  private static String table(String title, JsonNode schema) {
    StringBuilder rows = new StringBuilder("\n## " + title + "\n\n");
    String description = schema.path("description").asString("");
    rows.append(title.startsWith("Fields") ? "" : description + "\n\n")
        .append("| field | type | default | meaning | example |\n")
        .append("| --- | --- | --- | --- | --- |\n");
    List<String> required = new ArrayList<>();
    schema.path("required").forEach(name -> required.add(name.asString()));
    fields(schema)
        .forEach((name, field) ->
            rows.append(
                "| `%s` | %s | %s | %s | `%s` |\n"
                    .formatted(
                        name,
                        type(field),
                        value(field, required.contains(name)),
                        meaning(field),
                        cell(field.path("examples").path(0).toString()))));
    return rows.toString();
  }

  private static String value(JsonNode field, boolean required) {
    String text = field.path("description").asString("");
    int at = text.indexOf(DEFAULT);
    if (required || at < 0) {
      return required ? "required" : "";
    }
    String value = cell(text.substring(at + DEFAULT.length(), text.length() - 1));
    return field.has("default") ? "`" + value + "`" : value;
  }

  private static String meaning(JsonNode field) {
    String text = field.path("description").asString("");
    int at = text.indexOf(DEFAULT);
    return cell(at < 0 ? text : text.substring(0, at));
  }

  private static String cell(String text) {
    return text.replace("|", "\\|").replace("\n", " ");
  }

  /** In readable form: a text, a number, a list of texts, or an object with its own table. */
  private static String type(JsonNode field) {
    if (field.has("$ref")) {
      String name = title(field.get("$ref").asString().replaceAll(".*/", ""));
      return "[" + name + "](#" + name.toLowerCase(java.util.Locale.ROOT).replace(' ', '-') + ")";
    }
    if (field.has("oneOf")) {
      return field
          .get("oneOf")
          .valueStream()
          .map(JobFileIT::type)
          .filter(one -> !one.isEmpty())
          .distinct()
          .collect(Collectors.joining(" or "));
    }
    if (field.has("enum")) {
      return field
          .get("enum")
          .valueStream()
          .filter(one -> !one.isNull())
          .map(one -> "`" + one.asString() + "`")
          .collect(Collectors.joining(", "));
    }
    List<String> types = new ArrayList<>();
    JsonNode type = field.path("type");
    (type.isArray() ? type.valueStream() : java.util.stream.Stream.of(type))
        .map(one -> one.asString(""))
        .map(one -> word(one, field))
        .filter(one -> !one.isEmpty())
        .forEach(types::add);
    return String.join(" or ", types);
  }

  private static String word(String type, JsonNode field) {
    return switch (type) {
      case "string" -> field.path("format").asString("").equals("date-time") ? "time" : "text";
      case "integer" -> "whole number";
      case "number" -> "number";
      case "boolean" -> "true or false";
      case "array" -> "list of " + plural(type(field.path("items")));
      case "object" ->
          field.path("additionalProperties") instanceof ObjectNode of
              ? "names with " + plural(type(of))
              : "object";
      default -> "";
    };
  }

  private static String plural(String type) {
    return type.matches("[a-z ]+") ? type + "s" : type;
  }
}
