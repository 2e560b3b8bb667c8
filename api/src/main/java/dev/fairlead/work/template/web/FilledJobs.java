package dev.fairlead.work.template.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.pattern.TextPatterns;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.web.spi.JobTemplateRequest;
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
            .flatMap(named ->
                job(body)
                    .get(FIELD)
                    .flatMap(value -> BodyBinder.part(value, JobTemplateRequest.class))
                    .flatMap(request -> {
                      Templates.Used used =
                          read.computeIfAbsent(
                              request.name() + " " + request.version(),
                              key -> found(actor, project, request, named));
                      return filled(body, named, used, request.values());
                    }));
  }

  private static Fields job(Value body) {
    return body.fields().orElseThrow();
  }

  private Templates.Used found(
      Actor actor, String project, JobTemplateRequest asked, Fields named) {
    try {
      Integer version = asked.version();
      return templates.used(
          actor, project, asked.name(), version == null ? null : Long.valueOf(version));
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
