package dev.fairlead.work.template.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.pattern.TextPatterns;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.work.job.web.spi.JobBodies;
import dev.fairlead.work.template.JobTree;
import dev.fairlead.work.template.Pointers;
import dev.fairlead.work.template.Template;
import dev.fairlead.work.template.TemplateCheck;
import dev.fairlead.work.template.TemplateParameter;
import dev.fairlead.work.template.TemplateParameterBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A job spec with parameters and locked fields. */
record PutTemplateRequest(
    @Schema(description = "Description for users, at most 500 characters") @Size(max = 500)
        @Nullable String description,
    @Schema(description = "Parameters of the template, at most 64")
        @Size(max = Template.MOST_PARAMETERS)
        @Nullable List<TemplateParameterRequest> parameters,
    @Schema(
            description =
                "JSON pointers of fields that a submit cannot set, such as /image or /env/MODE, at"
                    + " most 64")
        @Size(max = Template.MOST_LOCKED)
        @Nullable List<String> locked,
    @Schema(
            description =
                "Job spec as in POST /jobs. Texts may contain ${parameters.NAME}. A string that"
                    + " is exactly one such expression becomes a number or a boolean if the"
                    + " parameter is one")
        Map<String, Object> job) {
  private static final String JOB = "job";
  private static final String PARAMETERS = "parameters";

  /** A parameter of a template. */
  @Schema(name = "TemplateParameterRequest")
  record TemplateParameterRequest(
      @Schema(description = "Letters, digits, _ and -, at most 63 characters")
          @Pattern(regexp = "[A-Za-z][A-Za-z0-9_-]{0,62}")
          String name,
      @Schema(description = "Type of the value") TemplateParameter.Type type,
      @Schema(description = "Description for users, at most 500 characters") @Size(max = 500)
          @Nullable String description,
      @Schema(
              types = {"string", "number", "boolean"},
              description = "Value when a submit sets none. Without it, the parameter is required")
          @Nullable Object defaultValue,
      @Schema(
              types = {"number"},
              description = "Minimum of an INTEGER or NUMBER")
          @Nullable Object minimum,
      @Schema(
              types = {"number"},
              description = "Maximum of an INTEGER or NUMBER")
          @Nullable Object maximum,
      @Schema(description = "Maximum characters of a STRING, 1 to 4096, 4096 by default")
          @Min(1)
          @Max(TemplateParameter.LONGEST_TEXT)
          @Nullable Integer maxLength,
      @Schema(description = "Regular expression that the whole value of a STRING matches")
          @Size(max = TemplateParameter.LONGEST_PATTERN)
          @Nullable String pattern,
      @Schema(description = "Values of an ENUM, 1 to 100")
          @Size(max = TemplateParameter.MOST_VALUES)
          @Nullable List<String> values) {
    TemplateParameter parameter(Value given) {
      Fields fields = given.fields().orElseThrow();
      return TemplateParameterBuilder.builder()
          .name(name)
          .type(type)
          .description(Objects.requireNonNullElse(description, ""))
          .defaultValue(fields.get("defaultValue").flatMap(this::defaultText).orElse(null))
          .minimum(fields.get("minimum").flatMap(PutTemplateRequest::number).orElse(null))
          .maximum(fields.get("maximum").flatMap(PutTemplateRequest::number).orElse(null))
          .maxLength(maxLength)
          .pattern(pattern)
          .values(values == null ? List.of() : values)
          .build();
    }

    /** A default of another type has no text: the check of the template could misread it. */
    private Optional<String> defaultText(Value value) {
      boolean typed =
          switch (type) {
            case STRING, ENUM -> value.isText();
            case INTEGER -> value.isInteger();
            case NUMBER -> value.isNumber();
            case BOOLEAN -> value.isFlag();
          };
      return typed
          ? Optional.of(TemplateParameter.text(value.tree()))
          : value.bad("must be of type " + type + ", not " + value.shown(), null);
    }
  }

  private static Optional<String> number(Value value) {
    return value.isNumber()
        ? Optional.of(TemplateParameter.text(new BigDecimal(value.tree().toString())))
        : value.bad("must be a number, not " + value.shown(), null);
  }

  /**
   * Reads and checks a template.
   *
   * @throws dev.fairlead.kernel.problem.Refusal every problem of the template and of its job
   */
  static Template read(
      Body body, @Nullable String project, String name, JobBodies jobs, TextPatterns patterns) {
    FieldProblems problems = new FieldProblems();
    Value given = body.value(problems);
    Optional<PutTemplateRequest> request = BodyBinder.read(given, PutTemplateRequest.class);
    problems.refuse();
    Value job = given.fields().flatMap(fields -> fields.get(JOB)).orElseThrow();
    if (!job.isObject()) {
      job.bad("must be an object with the fields of a job", null);
    } else if (job.isLarger(Template.LARGEST_JOB)) {
      job.refuse(
          ProblemCode.LIMIT_EXCEEDED, "A job has at most " + Template.LARGEST_JOB + " bytes", null);
    }
    Template template = request.orElseThrow().template(given, project, name, job);
    problems.refuse();
    Object tree = job.tree();
    TemplateCheck.problems(template, jobs.fields(), tree, patterns)
        .forEach(
            each -> problems.add(each.pointer(), each.code(), each.detail(), each.suggestion()));
    problems.refuse();
    checkFilled(template, job, tree, jobs)
        .forEach(
            each -> problems.add(each.pointer(), each.code(), each.detail(), each.suggestion()));
    problems.refuse();
    return template;
  }

  private Template template(Value given, @Nullable String project, String name, Value job) {
    List<Value> items =
        given
            .fields()
            .flatMap(fields -> fields.get(PARAMETERS))
            .map(value -> value.items(Template.MOST_PARAMETERS))
            .orElse(List.of());
    List<TemplateParameter> read = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      read.add(Objects.requireNonNull(parameters).get(i).parameter(items.get(i)));
    }
    return new Template(
        name,
        project,
        Objects.requireNonNullElse(description, ""),
        read,
        locked == null ? List.of() : locked,
        Body.text(job.tree()));
  }

  /**
   * Problems of the job with the defaults. A submit can add a field that the job lacks. When a
   * parameter has no default, only the names of fields are known to be wrong.
   */
  private static List<FieldProblem> checkFilled(
      Template template, Value job, Object tree, JobBodies jobs) {
    SortedMap<String, Object> defaults = new TreeMap<>();
    template
        .parameters()
        .forEach(each -> each.fallback().ifPresent(value -> defaults.put(each.name(), value)));
    boolean known = defaults.size() == template.parameters().size();
    FieldProblems found = new FieldProblems();
    Value filled = job.replacedBy(filled(tree, defaults, job)).in(found);
    jobs.check(filled);
    return found.all().stream()
        .filter(each -> known || each.code() == ProblemCode.UNKNOWN_FIELD)
        .filter(each ->
            Pointers.find(tree, each.pointer().substring(job.pointer().length())).isPresent())
        .toList();
  }

  private static Object filled(Object tree, SortedMap<String, Object> defaults, Value job) {
    try {
      return JobTree.filled(tree, defaults);
    } catch (IllegalArgumentException tooLarge) {
      job.refuse(ProblemCode.LIMIT_EXCEEDED, "The defaults make the job too large", null);
      throw job.problems().refusal();
    }
  }
}
