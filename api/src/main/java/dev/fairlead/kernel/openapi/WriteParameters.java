package dev.fairlead.kernel.openapi;

import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Cause;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.SpecVersion;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.parameters.Parameter;
import java.util.Set;
import org.springdoc.core.customizers.OperationCustomizer;
import org.springframework.core.MethodParameter;
import org.springframework.web.method.HandlerMethod;

/** Adds each part of {@link WriteOptions} that an operation takes as a separate parameter. */
final class WriteParameters implements OperationCustomizer {

  @Override
  public Operation customize(Operation operation, HandlerMethod method) {
    for (MethodParameter parameter : method.getMethodParameters()) {
      WriteOptions.taken(parameter).forEach(part -> operation.addParametersItem(shown(part)));
    }
    return operation;
  }

  private static Parameter shown(WritePart part) {
    return new Parameter()
        .name(part.wire())
        .in(part.place())
        .required(false)
        .schema(
            switch (part) {
              case IF_MATCH, KEY -> new Schema<String>(SpecVersion.V31).types(Set.of("string"));
              case VALIDATE_ONLY -> flag();
              case REASON ->
                  new Schema<String>(SpecVersion.V31)
                      .types(Set.of("string"))
                      .minLength(1)
                      .maxLength(Cause.LONGEST);
            });
  }

  private static Schema<?> flag() {
    Schema<Boolean> schema = new Schema<>(SpecVersion.V31);
    schema.setTypes(Set.of("boolean"));
    schema.setDefault(false);
    return schema;
  }
}
