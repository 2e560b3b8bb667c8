package dev.fairlead.people.security;

import io.swagger.v3.oas.annotations.Operation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.method.HandlerMethod;

/** The operation id of a controller method: its row in the matrix of permissions. */
final class OperationIds {
  private OperationIds() {}

  /** Null for a method without an operation. */
  static @Nullable String of(HandlerMethod method) {
    Operation operation =
        AnnotatedElementUtils.findMergedAnnotation(method.getMethod(), Operation.class);
    return operation == null || operation.operationId().isEmpty() ? null : operation.operationId();
  }
}
