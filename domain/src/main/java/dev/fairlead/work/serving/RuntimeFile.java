package dev.fairlead.work.serving;

import static dev.fairlead.kernel.resources.FileFields.bad;

import dev.fairlead.kernel.resources.FileFields;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/** Reads the YAML of one runtime and checks it. Every error names the field. */
final class RuntimeFile {
  /** Entries of the field {@code metrics}. */
  static final List<String> METRICS = List.of("path", "port", "running", "waiting", "cache");

  private static final Set<String> FIELDS =
      Set.of(
          "name",
          "description",
          "image",
          "run",
          "models",
          "args",
          "env",
          "formats",
          "port",
          "readyPath",
          "metric",
          "metrics",
          "api",
          "reserved");
  private static final Set<String> EXPRESSIONS = Set.of("model", "name", "port");
  private static final int DEFAULT_PORT = 8_080;

  private final FileFields fields;

  private RuntimeFile(FileFields fields) {
    this.fields = fields;
  }

  /**
   * @throws IllegalArgumentException for text that is not a runtime, with the field and the reason
   */
  static ModelRuntime read(String yaml) {
    return new RuntimeFile(FileFields.read(yaml, "a runtime", FIELDS)).runtime();
  }

  private ModelRuntime runtime() {
    ModelRuntime runtime =
        ModelRuntimeBuilder.builder()
            .name(FileFields.matching("name", fields.text("name"), FileFields.NAME))
            .description(fields.text("description"))
            .image(fields.textOrNull("image"))
            .run(fields.words("run"))
            .models(models())
            .args(fields.words("args"))
            .env(fields.variables("env"))
            .formats(new TreeSet<>(fields.words("formats")))
            .port(fields.port("port", 1, DEFAULT_PORT))
            .readyPath(fields.textOrNull("readyPath"))
            .metric(metric())
            .metrics(metrics())
            .openAi(openAi())
            .reserved(new TreeSet<>(fields.words("reserved")))
            .build();
    check(runtime);
    return runtime;
  }

  private boolean openAi() {
    String api = fields.textOrNull("api");
    if (api != null && !api.equals("OPENAI")) {
      throw bad("api", "must be OPENAI. Leave it out for another API");
    }
    return api != null;
  }

  private SortedMap<String, List<String>> models() {
    SortedMap<String, List<String>> models = new TreeMap<>();
    fields
        .mapping("models")
        .forEach((scheme, words) -> {
          if (!ModelUri.SCHEMES.contains(scheme)) {
            throw bad(
                "models." + scheme,
                "is no scheme: the schemes are " + String.join(", ", ModelUri.SCHEMES));
          }
          models.put(scheme, FileFields.words("models." + scheme, words));
        });
    List<String> mounted = models.get("volume");
    if (mounted != null) { // an image is mounted at the same directory
      List<String> _ = models.putIfAbsent("oci", mounted);
    }
    if (models.isEmpty()) {
      throw bad("models", "must have the arguments for at least one scheme, such as hf");
    }
    return models;
  }

  private LoadTarget.Metric metric() {
    String metric = fields.text("metric");
    return Arrays.stream(LoadTarget.Metric.values())
        .filter(each -> each.name().equals(metric))
        .findFirst()
        .orElseThrow(() ->
            bad(
                "metric",
                "must be one of %s".formatted(Arrays.toString(LoadTarget.Metric.values()))));
  }

  private SortedMap<String, String> metrics() {
    SortedMap<String, String> metrics = new TreeMap<>();
    fields
        .mapping("metrics")
        .forEach((name, value) -> {
          if (!METRICS.contains(name)) {
            throw bad(
                "metrics." + name, "is unknown: the entries are " + String.join(", ", METRICS));
          }
          metrics.put(name, FileFields.scalar("metrics." + name, value));
        });
    return metrics;
  }

  /** Expressions are checked when the file is read, not when a service is applied. */
  private static void check(ModelRuntime runtime) {
    if (runtime.run().isEmpty() && !runtime.args().isEmpty()) {
      throw bad("args", "needs run: the service sets the program");
    }
    if (!runtime.run().isEmpty() && runtime.readyPath() == null) {
      throw bad("readyPath", "is missing: a server opens its port before its model is loaded");
    }
    if (runtime.readyPath() != null && !runtime.readyPath().startsWith("/")) {
      throw bad("readyPath", "must be a path such as /health");
    }
    runtime.run().forEach(word -> expressions("run", word));
    runtime.args().forEach(word -> expressions("args", word));
    runtime
        .models()
        .forEach((scheme, words) -> words.forEach(word -> expressions("models." + scheme, word)));
    runtime.env().forEach((name, value) -> expressions("env." + name, value));
    expressions("readyPath", runtime.readyPath());
  }

  private static void expressions(String field, @Nullable String text) {
    Matcher found = ModelRuntime.EXPRESSION.matcher(text == null ? "" : text);
    while (found.find()) {
      if (!EXPRESSIONS.contains(found.group(1))) {
        throw bad(
            field,
            "has the unknown expression %s: the expressions are ${model}, ${name} and ${port}"
                .formatted(found.group()));
      }
    }
  }
}
