package dev.fairlead.people.security;

import dev.fairlead.kernel.web.AcrossProjects;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ValueConstants;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;

/**
 * The object of a request, for roles of tenants and projects.
 *
 * @param tenant name of the tenant from the path or header, null for the caller's own
 * @param ofProject whether the operation concerns one project or a job at all
 * @param project name of the project, or the default of the operation if the request names none.
 *     Otherwise null
 * @param job id of the job, null if the request names none
 */
record ProtectedObject(
    @Nullable String tenant, boolean ofProject, @Nullable String project, @Nullable String job) {
  /** Name of the tenant of the request, for callers with a role in several. */
  static final String TENANT_HEADER = "Fairlead-Tenant";

  private static final String TENANT = "tenant";
  private static final String PROJECT = "project";
  private static final String JOB = "job";

  static ProtectedObject of(HandlerMethod method, HttpServletRequest request) {
    Object found = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
    Map<?, ?> path = found instanceof Map<?, ?> variables ? variables : Map.of();
    Optional<MethodParameter> takesProject =
        Stream.of(method.getMethodParameters())
            .filter(p ->
                (p.hasParameterAnnotation(RequestParam.class)
                        || p.hasParameterAnnotation(PathVariable.class))
                    && PROJECT.equals(p.getParameter().getName()))
            .findFirst();
    Object job = path.get(JOB);
    return new ProtectedObject(
        text(path.get(TENANT), request.getHeader(TENANT_HEADER)),
        (takesProject.isPresent() || job != null)
            && !method.hasMethodAnnotation(AcrossProjects.class),
        text(
            path.get(PROJECT),
            text(
                request.getParameter(PROJECT),
                takesProject.map(ProtectedObject::usual).orElse(null))),
        job == null ? null : job.toString());
  }

  private static @Nullable String text(@Nullable Object first, @Nullable String second) {
    return first == null ? second : first.toString();
  }

  /** Default of the parameter in a request without it, null if none. */
  private static @Nullable String usual(MethodParameter parameter) {
    RequestParam annotation = parameter.getParameterAnnotation(RequestParam.class);
    return annotation == null || annotation.defaultValue().equals(ValueConstants.DEFAULT_NONE)
        ? null
        : annotation.defaultValue();
  }
}
