package dev.fairlead.web;

import dev.fairlead.body.Nearest;
import dev.fairlead.body.SafeText;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Refuses query parameters that the endpoint does not know: a filter with a typing mistake would
 * otherwise silently answer with everything. Refuses characters that no stored text may hold.
 */
final class ParameterGuard implements HandlerInterceptor {
  private static final int LONGEST = 2048;
  private static final int MOST_VALUES = 64;
  private final Map<HandlerMethod, SortedSet<String>> known = new ConcurrentHashMap<>();

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    if (handler instanceof HandlerMethod method
        && method.getBeanType() != ErrorPathController.class // has the parameters of what failed
        && method.getBeanType().getName().startsWith("dev.fairlead.")) {
      SortedSet<String> names = known.computeIfAbsent(method, ParameterGuard::names);
      request.getParameterMap().forEach((name, values) -> check(names, name, values));
      checkPath(request);
    }
    return true;
  }

  private static void check(SortedSet<String> names, String name, String[] values) {
    if (!names.contains(name)) {
      String shown = SafeText.firstUnsafe(name) < 0 && name.length() <= 64 ? name : "?";
      String hint =
          Nearest.to(name, names)
              .map(near -> "did you mean " + near + "?")
              .orElse(names.isEmpty() ? "none is" : "known: " + String.join(", ", names));
      throw Parameters.refused(shown, "is not known here; " + hint);
    }
    if (values.length > MOST_VALUES) {
      throw Parameters.refused(name, "may be repeated " + MOST_VALUES + " times at most");
    }
    for (String value : values) {
      checkText(name, value);
    }
  }

  private static void checkPath(HttpServletRequest request) {
    if (request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE)
        instanceof Map<?, ?> variables) {
      variables.forEach((name, value) -> checkText(String.valueOf(name), String.valueOf(value)));
    }
  }

  private static void checkText(String name, String value) {
    boolean oneLine = value.chars().noneMatch(c -> c < ' ');
    if (value.length() > LONGEST || !oneLine || SafeText.firstUnsafe(value) >= 0) {
      throw Parameters.refused(
          name, "is longer than " + LONGEST + " characters or holds one that is not allowed");
    }
  }

  private static SortedSet<String> names(HandlerMethod method) {
    SortedSet<String> names = new TreeSet<>();
    for (MethodParameter parameter : method.getMethodParameters()) {
      RequestParam annotation = parameter.getParameterAnnotation(RequestParam.class);
      if (annotation != null) {
        String given = annotation.name().isEmpty() ? annotation.value() : annotation.name();
        names.add(given.isEmpty() ? String.valueOf(parameter.getParameter().getName()) : given);
      }
    }
    return names;
  }
}
