package dev.fairlead.work.job.web.spi;

import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.work.template.Template;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Min;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/**
 * A template of the project or its tenant, and values of its parameters.
 *
 * @param name name of the template
 * @param version version of the template, the current one when absent
 * @param parameters texts, numbers and booleans by name of the parameter
 */
@Schema(name = "JobTemplateRequest")
public record JobTemplateRequest(
    @DnsLabel String name,
    @Min(1) @Nullable Integer version,
    @Schema(types = "object", additionalProperties = Schema.AdditionalPropertiesValue.TRUE)
        @JsonDeserialize(using = Parameters.class)
        @Nullable SortedMap<String, Object> parameters) {
  /** None when absent. */
  public SortedMap<String, Object> values() {
    return parameters == null ? Collections.emptySortedMap() : parameters;
  }

  /** Reads parameters. Their types depend on the template. A null counts as absent. */
  static final class Parameters extends FieldReader<SortedMap<String, Object>> {
    @Override
    protected Optional<SortedMap<String, Object>> read(Value value) {
      SortedMap<String, Object> given = new TreeMap<>();
      value
          .entries(Template.MOST_PARAMETERS)
          .forEach((parameter, each) -> {
            if (!each.isNothing()) {
              given.put(parameter, each.tree());
            }
          });
      return Optional.of(given);
    }
  }
}
