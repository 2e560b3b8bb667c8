package dev.fairlead.security;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;

/**
 * What a request is about, as far as roles of projects go.
 *
 * @param ofProject whether the operation is about a project or a job at all
 * @param project name of the project, null when the request names none
 * @param job id of the job, null when the request names none
 */
record ProtectedObject(boolean ofProject, @Nullable String project, @Nullable String job) {
  private static final String PROJECT = "project";
  private static final String JOB = "job";

  static ProtectedObject of(HandlerMethod method, HttpServletRequest request) {
    Object found = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
    Map<?, ?> path = found instanceof Map<?, ?> variables ? variables : Map.of();
    boolean takesProject =
        Stream.of(method.getMethodParameters())
            .anyMatch(p ->
                (p.hasParameterAnnotation(RequestParam.class)
                        || p.hasParameterAnnotation(PathVariable.class))
                    && PROJECT.equals(p.getParameter().getName()));
    Object project = path.get(PROJECT);
    Object job = path.get(JOB);
    return new ProtectedObject(
        takesProject || job != null,
        project == null ? request.getParameter(PROJECT) : project.toString(),
        job == null ? null : job.toString());
  }
}
