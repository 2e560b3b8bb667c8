package dev.fairlead.work.template.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.pattern.TextPatterns;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.web.spi.JobTemplates;
import dev.fairlead.work.template.JobTree;
import dev.fairlead.work.template.Locks;
import dev.fairlead.work.template.Pointers;
import dev.fairlead.work.template.Template;
import dev.fairlead.work.template.TemplateCheck;
import dev.fairlead.work.template.service.Templates;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Fills the templates that submits name. */
@Component
class FilledJobs implements JobTemplates {
  private final Templates templates;
  private final TextPatterns patterns;

  FilledJobs(Templates templates, TextPatterns patterns) {
    this.templates = templates;
    this.patterns = patterns;
  }

  @Override
  public JobTemplates.Request request(Actor actor, String project) {
    SortedMap<String, Templates.Used> read = new TreeMap<>();
    return body ->
        body.fields()
            .flatMap(job -> job.get(FIELD))
            .flatMap(Value::fields)
            .flatMap(named -> {
              SortedMap<String, Object> given = given(named);
              return asked(named)
                  .map(asked ->
                      read.computeIfAbsent(
                          asked.toString(), key -> found(actor, project, asked, named)))
                  .flatMap(used -> filled(body, named, used, given));
            });
  }

  /**
   * The template that a submit names.
   *
   * @param version null for the current one
   */
  private record Asked(String name, @Nullable Long version) {}

  private static Optional<Asked> asked(Fields named) {
    int before = named.problems().count();
    Optional<String> name =
        named
            .required("name", "the name of a template. GET /api/v1/templates lists them.")
            .flatMap(value -> Names.label(value, Names.LONGEST_LABEL));
    Optional<Integer> version =
        named.get("version").flatMap(value -> value.integer(1, Integer.MAX_VALUE));
    named.done();
    return named.problems().count() > before
        ? Optional.empty()
        : name.map(each -> new Asked(each, version.map(Integer::longValue).orElse(null)));
  }

  private static SortedMap<String, Object> given(Fields named) {
    SortedMap<String, Object> given = new TreeMap<>();
    named
        .get("parameters")
        .map(value -> value.entries(Template.MOST_PARAMETERS))
        .orElse(new TreeMap<>())
        .forEach((parameter, value) -> {
          if (!value.isNothing()) {
            given.put(parameter, value.tree());
          }
        });
    return given;
  }

  private Templates.Used found(Actor actor, String project, Asked asked, Fields named) {
    try {
      return templates.used(actor, project, asked.name(), asked.version());
    } catch (Refusal missing) {
      String detail = String.valueOf(missing.getMessage());
      String at = named.at(asked.version() == null ? "name" : "version");
      throw new Refusal(
          missing.code(), detail, List.of(new FieldProblem(at, missing.code(), detail, null)));
    }
  }

  private Optional<Filled> filled(
      Value body, Fields named, Templates.Used used, SortedMap<String, Object> given) {
    int before = body.problems().count();
    Template template = used.template();
    TemplateCheck.Values values = TemplateCheck.values(template.parameters(), given, patterns);
    values
        .problems()
        .forEach(each ->
            body.problems()
                .add(
                    named.at("parameters") + each.pointer(),
                    each.code(),
                    each.detail(),
                    each.suggestion()));
    Value submit = body.without(FIELD);
    Object set = submit.tree();
    Map<String, Object> tree = Body.object(template.job());
    Locks.overridden(template.locked(), set, tree)
        .forEach(each ->
            body.problems()
                .add(
                    body.pointer() + each.pointer(),
                    ProblemCode.LOCKED_FIELD,
                    "Template %s locks %s. Leave %s out."
                        .formatted(template.name(), each.locked(), each.pointer()),
                    null));
    if (body.problems().count() > before) {
      return Optional.empty();
    }
    Object job;
    try {
      job = JobTree.filled(tree, values.values());
    } catch (IllegalArgumentException tooLarge) {
      body.problems()
          .add(
              named.at("parameters"),
              ProblemCode.LIMIT_EXCEEDED,
              String.valueOf(tooLarge.getMessage()),
              null);
      return Optional.empty();
    }
    return Optional.of(
        new Filled(
            submit.appliedTo(body.replacedBy(job)),
            labels(used),
            pointer -> origin(used, tree, set, pointer.substring(body.pointer().length()))));
  }

  private static SortedMap<String, String> labels(Templates.Used used) {
    SortedMap<String, String> labels = new TreeMap<>();
    labels.put(Template.LABELS, used.template().name());
    labels.put(Template.LABELS + "-version", Long.toString(used.version()));
    labels.put(
        Template.LABELS + "-scope", used.template().project() == null ? "tenant" : "project");
    return labels;
  }

  private static String origin(Templates.Used used, Object tree, Object submit, String pointer) {
    if (Pointers.find(submit, pointer).isPresent() || Pointers.find(tree, pointer).isEmpty()) {
      return "";
    }
    List<String> parameters = JobTree.parameters(tree, pointer);
    return " The field is from version %d of template %s%s."
        .formatted(
            used.version(),
            used.template().name(),
            parameters.isEmpty() ? "" : ", parameter " + String.join(", ", parameters));
  }
}
