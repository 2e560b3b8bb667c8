package dev.fairlead.work.serving;

import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Fills the fields of a service from its runtime. Fields of the service win, except the words and
 * variables that its runtime reserves. A pure function over the tree of the service.
 */
public final class RuntimeFill {
  private static final String JOB = "job";
  private static final String ENV = "env";
  private static final String ARGS = "args";
  private static final String PORT = "port";
  private static final String READY_PATH = "readyPath";
  private static final String VOLUMES = "volumes";

  private final ModelRuntime runtime;
  private final @Nullable ModelUri model;
  private final ModelRuntime.Values values;
  private final SortedMap<String, Object> service;
  private final SortedMap<String, Object> job;
  private final List<FieldProblem> problems = new ArrayList<>();

  /**
   * A filled service.
   *
   * @param service fields of the service with its job
   * @param problems fields that the runtime refuses, each with its pointer. The service cannot be
   *     used if there is one
   */
  public record Filled(SortedMap<String, Object> service, List<FieldProblem> problems) {}

  private RuntimeFill(
      ModelRuntime runtime, String name, @Nullable ModelUri model, Map<String, Object> service) {
    this.runtime = runtime;
    this.model = model;
    this.service = new TreeMap<>(service);
    this.job = mapping(service.get(JOB));
    int port = service.get(PORT) instanceof Number given ? given.intValue() : runtime.port();
    this.values = new ModelRuntime.Values(model == null ? "" : model.inServer(), name, port);
  }

  /**
   * Fills a service.
   *
   * @param name name of the service
   * @param model address of its model, null if the service has none
   * @param format format of its model, null if the service has none
   * @param service its fields. Values of a different kind than expected are not changed
   */
  public static Filled of(
      ModelRuntime runtime,
      String name,
      @Nullable ModelUri model,
      @Nullable String format,
      Map<String, Object> service) {
    return new RuntimeFill(runtime, name, model, service).filled(format);
  }

  private Filled filled(@Nullable String format) {
    readable(format);
    endpoint();
    metric();
    if (job.containsKey("roles")) {
      refuse(
          "/job/roles",
          "runtime %s fills a job without roles: remove roles, or remove runtime and model"
              .formatted(runtime.name()));
    } else if (problems.isEmpty()) {
      image();
      program();
      variables();
      mount();
      service.put(JOB, job);
    }
    return new Filled(service, List.copyOf(problems));
  }

  private void readable(@Nullable String format) {
    if (model == null) {
      if (!runtime.run().isEmpty()) {
        String scheme = runtime.models().firstKey();
        refuse(
            "/model",
            "model is missing: runtime %s needs the address of a model, such as uri: %s"
                .formatted(runtime.name(), ModelUri.example(scheme)));
      }
      return;
    }
    if (!runtime.models().containsKey(model.scheme())) {
      refuse(
          "/model/uri",
          "runtime %s cannot read %s:// and reads %s: copy the model to a volume and write %s, or use another runtime"
              .formatted(
                  runtime.name(),
                  model.scheme(),
                  String.join(", ", runtime.models().keySet()),
                  ModelUri.example("volume")));
    }
    if (format != null && !runtime.formats().isEmpty() && !runtime.formats().contains(format)) {
      List<String> others =
          ModelRuntimes.all().stream()
              .filter(each -> each.formats().contains(format))
              .map(ModelRuntime::name)
              .toList();
      refuse(
          "/model/format",
          "runtime %s reads %s, not %s: %s"
              .formatted(
                  runtime.name(),
                  String.join(", ", runtime.formats()),
                  format,
                  others.isEmpty()
                      ? "use runtime custom"
                      : "use runtime " + String.join(" or ", others)));
    }
  }

  private void endpoint() {
    Object _ = service.putIfAbsent(PORT, values.port());
    if (service.containsKey(READY_PATH)) {
      return;
    }
    if (runtime.readyPath() == null) {
      refuse(
          "/readyPath",
          "readyPath is missing: runtime %s has none, and an open port does not show that the model is loaded"
              .formatted(runtime.name()));
    } else {
      service.put(READY_PATH, values.in(runtime.readyPath()));
    }
  }

  private void metric() {
    if (service.get("scale") instanceof Map<?, ?> given && given.get("metric") == null) {
      SortedMap<String, Object> scale = mapping(given);
      scale.put("metric", runtime.metric().name());
      service.put("scale", scale);
    }
  }

  private void image() {
    if (runtime.image() != null) {
      Object _ = job.putIfAbsent("image", runtime.image());
    }
  }

  private void program() {
    if (runtime.run().isEmpty()) {
      return;
    }
    for (String field : List.of("run", "command")) {
      if (job.containsKey(field)) {
        refuse(
            "/job/" + field,
            "runtime %s sets the program: put further options into args, or use runtime custom"
                .formatted(runtime.name()));
      }
    }
    List<String> words = new ArrayList<>();
    runtime.run().forEach(word -> words.add(values.in(word)));
    if (model != null) {
      runtime
          .models()
          .getOrDefault(model.scheme(), List.of())
          .forEach(word -> words.add(values.in(word)));
    }
    runtime.args().forEach(word -> words.add(values.in(word)));
    if (job.containsKey(ARGS)) {
      words.addAll(args());
    }
    job.remove(ARGS);
    job.put("run", words);
  }

  /** Options of the service, after the options of the runtime. */
  private List<String> args() {
    if (!(job.get(ARGS) instanceof Collection<?> given)
        || !given.stream().allMatch(String.class::isInstance)) {
      refuse("/job/args", "args must be a list of strings, such as [--max-model-len, \"8192\"]");
      return List.of();
    }
    List<String> args = given.stream().map(String::valueOf).toList();
    args.stream().filter(runtime::reserves).forEach(word -> reserved("/job/args", word));
    return args;
  }

  private void variables() {
    SortedMap<String, Object> env = new TreeMap<>();
    runtime.env().forEach((name, value) -> env.put(name, values.in(value)));
    for (String field : List.of(ENV, "secretEnv")) {
      for (String name : mapping(job.get(field)).keySet()) {
        if (runtime.reserves(name)) {
          reserved("/job/" + field, name);
        }
        env.remove(name);
      }
    }
    env.putAll(mapping(job.get(ENV)));
    if (!env.isEmpty() && (job.get(ENV) == null || job.get(ENV) instanceof Map)) {
      job.put(ENV, env);
    }
  }

  private void reserved(String pointer, String word) {
    refuse(
        pointer,
        "runtime %s sets %s from port, model and the name of the service: leave it out"
            .formatted(runtime.name(), word));
  }

  private void mount() {
    if (model != null
        && model.image().isPresent()
        && job.get(VOLUMES) instanceof Collection<?> others
        && others.stream().anyMatch(RuntimeFill::inMount)) {
      refuse(
          "/job/volumes",
          "the image of the model is mounted at %s: choose another mountPath"
              .formatted(ModelUri.MOUNT));
    }
    if (model == null
        || model.volume().isEmpty()
        || job.containsKey(VOLUMES) && !(job.get(VOLUMES) instanceof Collection)) {
      return; // the reader of the job refuses it
    }
    SortedMap<String, Object> mount = new TreeMap<>();
    mount.put("volume", model.volume().get());
    mount.put("mountPath", ModelUri.MOUNT);
    mount.put("readOnly", true);
    List<Object> volumes = new ArrayList<>();
    volumes.add(mount);
    if (job.get(VOLUMES) instanceof Collection<?> others) {
      volumes.addAll(others);
    }
    job.put(VOLUMES, volumes);
  }

  /** A volume at or below the mount of a read-only image prevents the start of a pod. */
  private static boolean inMount(@Nullable Object volume) {
    return volume instanceof Map<?, ?> given
        && given.get("mountPath") instanceof String path
        && (path + "/").startsWith(ModelUri.MOUNT + "/");
  }

  private void refuse(String pointer, String detail) {
    problems.add(new FieldProblem(pointer, ProblemCode.CONFLICTING_FIELDS, detail, null));
  }

  private static SortedMap<String, Object> mapping(@Nullable Object value) {
    SortedMap<String, Object> copy = new TreeMap<>();
    if (value instanceof Map<?, ?> given) {
      given.forEach((name, each) -> {
        if (each != null) {
          copy.put(String.valueOf(name), each);
        }
      });
    }
    return copy;
  }
}
