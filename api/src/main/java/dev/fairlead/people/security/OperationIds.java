package dev.fairlead.people.security;

import io.swagger.v3.oas.annotations.Operation;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.method.HandlerMethod;

/** The operation that a method of a controller serves: its row in the matrix of permissions. */
final class OperationIds {
  private OperationIds() {}

  /** Null when the method says none. */
  static @Nullable String of(HandlerMethod method) {
    Operation operation =
        AnnotatedElementUtils.findMergedAnnotation(method.getMethod(), Operation.class);
    return operation == null || operation.operationId().isEmpty() ? null : operation.operationId();
  }
}
