package dev.fairlead.work.serving.web;

import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.work.serving.ModelRuntime;
import dev.fairlead.work.serving.ModelRuntimes;
import dev.fairlead.work.serving.ModelUri;
import dev.fairlead.work.serving.RuntimeFill;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Fills the services that name a runtime. */
final class FilledServices {
  private static final String RUNTIME = "runtime";
  private static final String MODEL = "model";
  private static final String URI = "uri";
  private static final int LONGEST = 1_000;

  private FilledServices() {}

  /**
   * Returns the service with the fields that its runtime fills. Without a runtime, or with a
   * problem, which is reported, the service remains as it is.
   *
   * @param name name of the service
   */
  static Value filled(Value service, String name) {
    Optional<Fields> fields = service.fields();
    if (fields.isEmpty()) {
      return service;
    }
    Optional<Value> named = fields.get().get(RUNTIME);
    Optional<Value> model = fields.get().get(MODEL);
    if (named.isEmpty()) {
      model.ifPresent(given ->
          given.refuse(
              ProblemCode.CONFLICTING_FIELDS,
              "model needs runtime, the server that loads it: one of "
                  + String.join(
                      ", ", ModelRuntimes.all().stream().map(ModelRuntime::name).toList()),
              null));
      return service;
    }
    FieldProblems problems = service.problems();
    int before = problems.count();
    Optional<ModelRuntime> runtime =
        named
            .get()
            .oneOf(ModelRuntimes.all().stream().map(ModelRuntime::name).toList())
            .flatMap(ModelRuntimes::find);
    Optional<Fields> address = model.flatMap(Value::fields);
    Optional<ModelUri> uri =
        address
            .flatMap(each ->
                each.required(URI, "the URI of the model, such as " + ModelUri.example("hf")))
            .flatMap(FilledServices::uri);
    Optional<String> format =
        address.flatMap(each -> each.get("format")).flatMap(value -> value.text(LONGEST));
    address.ifPresent(Fields::done);
    if (problems.count() > before
        || runtime.isEmpty()
        || !(service.tree() instanceof Map<?, ?> tree)) {
      return service;
    }
    Map<String, Object> given = new TreeMap<>();
    tree.forEach((key, value) -> {
      if (value != null) {
        given.put(String.valueOf(key), value);
      }
    });
    RuntimeFill.Filled filled =
        RuntimeFill.of(runtime.get(), name, uri.orElse(null), format.orElse(null), given);
    for (FieldProblem each : filled.problems()) {
      problems.add(each.pointer(), each.code(), each.detail() + ".", each.suggestion());
    }
    return filled.problems().isEmpty() ? service.replacedBy(filled.service()) : service;
  }

  private static Optional<ModelUri> uri(Value value) {
    return value
        .text(LONGEST)
        .flatMap(text -> {
          Optional<ModelUri> read = ModelUri.parse(text);
          if (read.isPresent()) {
            return read;
          }
          String scheme = text.split("://", 2)[0];
          return value.bad(
              ModelUri.SCHEMES.contains(scheme)
                  ? "must be an address such as %s, without user, password and .., not %s"
                      .formatted(ModelUri.example(scheme), value.shown())
                  : "must begin with %s, not %s"
                      .formatted(
                          String.join(
                              ", ", ModelUri.SCHEMES.stream().map(each -> each + "://").toList()),
                          value.shown()),
              null);
        });
  }
}
