package dev.fairlead.work.template.service;

import dev.fairlead.work.template.Template;
import dev.fairlead.work.template.TemplateParameter;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A template, as the API returns it. */
@Schema(name = "TemplateResponse")
public record TemplateView(
    @Schema(description = "Name of the template, a DNS label") String name,
    @Schema(description = "Name of the project, or null for all projects of the tenant")
        @Nullable String project,
    @Schema(description = "Description for users, may be empty") String description,
    @Schema(description = "Parameters in the order of the template") List<Parameter> parameters,
    @Schema(description = "JSON pointers of fields that a submit cannot set") List<String> locked,
    @Schema(description = "Job spec with ${parameters.NAME} in its texts") Map<String, Object> job,
    @Schema(description = "Version, which starts at 1 and increases by 1 with each change")
        long version) {
  /** A parameter of a template. */
  @RecordBuilder
  @Schema(name = "TemplateParameterResponse")
  public record Parameter(
      @Schema(description = "Name of the parameter") String name,
      @Schema(description = "Type of the value") TemplateParameter.Type type,
      @Schema(description = "Description for users, may be empty") String description,
      @Schema(description = "Whether a submit must set a value") boolean required,
      @Schema(
              types = {"string", "number", "boolean"},
              description = "Value when a submit sets none, or null if the parameter is required")
          @Nullable Object defaultValue,
      @Schema(description = "Minimum, or null for any number") @Nullable BigDecimal minimum,
      @Schema(description = "Maximum, or null for any number") @Nullable BigDecimal maximum,
      @Schema(description = "Maximum characters of a text, or null for 4096")
          @Nullable Integer maxLength,
      @Schema(description = "Regular expression that the whole text matches, or null for any")
          @Nullable String pattern,
      @Schema(description = "Allowed values of an ENUM, otherwise empty") List<String> values) {
    static Parameter of(TemplateParameter parameter) {
      return TemplateViewParameterBuilder.builder()
          .name(parameter.name())
          .type(parameter.type())
          .description(parameter.description())
          .required(parameter.required())
          .defaultValue(parameter.fallback().orElse(null))
          .minimum(number(parameter.minimum()))
          .maximum(number(parameter.maximum()))
          .maxLength(parameter.maxLength())
          .pattern(parameter.pattern())
          .values(parameter.values())
          .build();
    }

    private static @Nullable BigDecimal number(@Nullable String text) {
      return text == null ? null : new BigDecimal(text);
    }
  }

  /**
   * @param job the job of the template as a tree
   */
  public static TemplateView of(Templates.Used used, Map<String, Object> job) {
    Template template = used.template();
    return new TemplateView(
        template.name(),
        template.project(),
        template.description(),
        template.parameters().stream().map(Parameter::of).toList(),
        template.locked(),
        job,
        used.version());
  }
}
