package dev.fairlead.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import dev.fairlead.people.tenant.PermissionMatrix;
import io.swagger.v3.oas.annotations.Hidden;
import io.swagger.v3.oas.annotations.Operation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.bind.annotation.RequestMapping;

/**
 * Each method that serves requests has its row in the matrix of permissions, and each row its
 * method.
 */
final class PermissionRule {
  private PermissionRule() {}

  /** Methods without a row, as {@code Class.method: operation}. */
  static List<String> unlisted(JavaClasses classes) {
    return serving(classes)
        .filter(method -> !PermissionMatrix.CURRENT.operations().contains(operation(method)))
        .map(method ->
            method.getDeclaringClass().getSimpleName()
                + "."
                + method.getName()
                + ": "
                + operation(method))
        .sorted()
        .toList();
  }

  /** Rows of operations that no method serves. */
  static Set<String> unserved(JavaClasses classes) {
    TreeSet<String> rows = new TreeSet<>(PermissionMatrix.CURRENT.operations());
    rows.removeAll(serving(classes).map(PermissionRule::operation).collect(Collectors.toSet()));
    return rows;
  }

  /**
   * Hidden controllers serve the API description, answer requests that failed before a controller,
   * or accept reports of attempts, which have no role.
   */
  private static Stream<Method> serving(JavaClasses classes) {
    return classes.stream()
        .filter(type -> !type.isAnnotatedWith(Hidden.class))
        .flatMap(type -> type.getMethods().stream())
        .filter(method -> method.isMetaAnnotatedWith(RequestMapping.class))
        .map(method -> method.reflect());
  }

  private static String operation(Method method) {
    Operation operation = AnnotatedElementUtils.findMergedAnnotation(method, Operation.class);
    return operation == null ? "" : operation.operationId();
  }
}
