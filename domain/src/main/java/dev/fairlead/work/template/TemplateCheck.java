package dev.fairlead.work.template;

import dev.fairlead.kernel.pattern.TextPatterns;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Checks of a template, and of the values that a submit gives. Every problem has its pointer. */
public final class TemplateCheck {
  private final List<FieldProblem> problems = new ArrayList<>();
  private final TextPatterns patterns;

  private TemplateCheck(TextPatterns patterns) {
    this.patterns = patterns;
  }

  /**
   * Problems of the parameters, the locks and the expressions of a template.
   *
   * @param fields names of the fields of a job
   * @param tree the job
   */
  public static List<FieldProblem> problems(
      Template template, SortedSet<String> fields, Object tree, TextPatterns patterns) {
    TemplateCheck check = new TemplateCheck(patterns);
    SortedSet<String> names = new TreeSet<>();
    for (int i = 0; i < template.parameters().size(); i++) {
      TemplateParameter parameter = template.parameters().get(i);
      check.parameter("/parameters/" + i, parameter);
      if (!names.add(parameter.name())) {
        check.refuse("/parameters/" + i + "/name", "Two parameters have this name.");
      }
    }
    for (int i = 0; i < template.locked().size(); i++) {
      check.lock("/locked/" + i, template.locked().get(i), fields);
    }
    check.problems.addAll(JobTree.problems(tree, "/job", template.parameters()));
    return check.problems;
  }

  private void parameter(String at, TemplateParameter parameter) {
    boolean number =
        parameter.type() == TemplateParameter.Type.INTEGER
            || parameter.type() == TemplateParameter.Type.NUMBER;
    boolean text = parameter.type() == TemplateParameter.Type.STRING;
    only(at, "minimum", parameter.minimum(), number, "of INTEGER and NUMBER");
    only(at, "maximum", parameter.maximum(), number, "of INTEGER and NUMBER");
    only(at, "maxLength", parameter.maxLength(), text, "of STRING");
    only(at, "pattern", parameter.pattern(), text, "of STRING");
    if (parameter.type() == TemplateParameter.Type.ENUM == parameter.values().isEmpty()) {
      refuse(at + "/values", "Only an ENUM has values.");
    }
    if (new TreeSet<>(parameter.values()).size() < parameter.values().size()) {
      refuse(at + "/values", "A value is repeated.");
    }
    int before = problems.size();
    bounds(at, parameter);
    compiled(at, parameter);
    if (problems.size() == before) {
      parameter
          .fallback()
          .flatMap(value -> parameter.problem(value, patterns))
          .ifPresent(detail -> refuse(at + "/defaultValue", "defaultValue " + detail + "."));
    }
  }

  private void bounds(String at, TemplateParameter parameter) {
    String ofMinimum = TemplateParameter.problemOfBound(parameter.minimum());
    String ofMaximum = TemplateParameter.problemOfBound(parameter.maximum());
    if (ofMinimum != null) {
      refuse(at + "/minimum", "minimum " + ofMinimum + ".");
    }
    if (ofMaximum != null) {
      refuse(at + "/maximum", "maximum " + ofMaximum + ".");
    }
    if (parameter.empty()) {
      refuse(
          at + "/minimum",
          "minimum must be at most maximum, which is " + parameter.maximum() + ".");
    }
  }

  private void only(
      String at, String field, @Nullable Object value, boolean allowed, String types) {
    if (value != null && !allowed) {
      problems.add(
          new FieldProblem(
              at + "/" + field,
              ProblemCode.CONFLICTING_FIELDS,
              field + " is a field " + types + " only.",
              null));
    }
  }

  private void compiled(String at, TemplateParameter parameter) {
    String pattern = parameter.pattern();
    if (pattern != null) {
      patterns
          .problem(pattern)
          .ifPresent(why ->
              refuse(at + "/pattern", "pattern is not a regular expression of RE2: " + why + "."));
    }
  }

  private void lock(String at, String pointer, SortedSet<String> fields) {
    if (!Pointers.wellFormed(pointer)) {
      refuse(at, "A locked field is a JSON pointer such as /image or /env/MODE.");
    } else if (!fields.contains(Pointers.steps(pointer).getFirst())) {
      refuse(at, "A job has no field " + Pointers.steps(pointer).getFirst() + ".");
    }
  }

  private void refuse(String pointer, String detail) {
    problems.add(new FieldProblem(pointer, ProblemCode.INVALID_FIELD, detail, null));
  }

  /**
   * The values of a submit.
   *
   * @param values by parameter, defaults included
   * @param problems with pointers from the object of the values
   */
  public record Values(SortedMap<String, Object> values, List<FieldProblem> problems) {}

  /**
   * Checks the values that a submit gives.
   *
   * @param given texts, numbers and booleans by name
   */
  public static Values values(
      List<TemplateParameter> parameters, SortedMap<String, Object> given, TextPatterns patterns) {
    TemplateCheck check = new TemplateCheck(patterns);
    SortedMap<String, Object> values = new TreeMap<>();
    SortedMap<String, Object> unknown = new TreeMap<>(given);
    for (TemplateParameter parameter : parameters) {
      String name = parameter.name();
      Object value = unknown.remove(name);
      if (value == null && parameter.required()) {
        check.refuse(Pointers.below("", name), name + " is missing: the template has no default.");
      } else if (value == null) {
        parameter.fallback().ifPresent(each -> values.put(name, each));
      } else {
        parameter
            .problem(value, patterns)
            .ifPresentOrElse(
                detail -> check.refuse(Pointers.below("", name), name + " " + detail + "."),
                () -> values.put(name, value));
      }
    }
    unknown
        .keySet()
        .forEach(name ->
            check.problems.add(
                new FieldProblem(
                    Pointers.below("", name),
                    ProblemCode.UNKNOWN_FIELD,
                    "The template has no parameter \"%s\". It has: %s."
                        .formatted(name, names(parameters)),
                    null)));
    return new Values(values, check.problems);
  }

  private static String names(List<TemplateParameter> parameters) {
    return parameters.isEmpty()
        ? "none"
        : String.join(", ", parameters.stream().map(TemplateParameter::name).toList());
  }
}
