package dev.fairlead.kernel.web;

import dev.fairlead.kernel.body.SafeText;
import dev.fairlead.kernel.body.SpellingSuggestion;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.core.MethodParameter;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Refuses unknown query parameters: a misspelled filter would otherwise silently return everything.
 * Also refuses characters that no stored text may contain.
 */
final class ParameterGuard implements HandlerInterceptor {
  private static final int LONGEST = 2048;
  private static final int MOST_VALUES = 64;

  private final Map<HandlerMethod, Optional<SortedMap<String, Integer>>> known =
      new ConcurrentHashMap<>();

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    if (handler instanceof HandlerMethod method
        && method.getBeanType() != ErrorPathController.class // has the parameters of what failed
        && method.getBeanType().getName().startsWith("dev.fairlead.")) {
      known
          .computeIfAbsent(method, ParameterGuard::names)
          .ifPresent(names ->
              request.getParameterMap().forEach((name, values) -> check(names, name, values)));
      checkPath(request);
    }
    return true;
  }

  private static void check(SortedMap<String, Integer> names, String name, String[] values) {
    Integer most = names.get(name);
    if (most == null) {
      String shown = SafeText.firstUnsafe(name) < 0 && name.length() <= 64 ? name : "?";
      String hint =
          SpellingSuggestion.to(name, names.keySet())
              .map(near -> "Did you mean " + near + "?")
              .orElse(
                  names.isEmpty()
                      ? "This operation has none"
                      : "Known: " + String.join(", ", names.keySet()));
      throw Parameters.refused(shown, "is not a parameter of this operation. " + hint);
    }
    if (values.length > most) {
      throw Parameters.refused(
          name,
          most == 1 ? "is given more than once" : "may be repeated " + most + " times at most");
    }
    for (String value : values) {
      if (value.isEmpty()) {
        throw Parameters.refused(name, "is empty. Set a value or remove the parameter");
      }
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
          name, "is longer than " + LONGEST + " characters or contains a forbidden one");
    }
  }

  /**
   * Parameters of a method, with the maximum number of values of each. Empty for a page, which
   * takes any parameter: an issuer appends parameters to its redirect address, and mail programs
   * append them to links.
   */
  private static Optional<SortedMap<String, Integer>> names(HandlerMethod method) {
    GetMapping mapping = method.getMethodAnnotation(GetMapping.class);
    if (mapping != null && List.of(mapping.produces()).contains(MediaType.TEXT_HTML_VALUE)) {
      return Optional.empty();
    }
    SortedMap<String, Integer> names = new TreeMap<>();
    for (MethodParameter parameter : method.getMethodParameters()) {
      RequestParam annotation = parameter.getParameterAnnotation(RequestParam.class);
      if (annotation != null) {
        String given = annotation.name().isEmpty() ? annotation.value() : annotation.name();
        boolean several = Collection.class.isAssignableFrom(parameter.getParameterType());
        names.put(
            given.isEmpty() ? String.valueOf(parameter.getParameter().getName()) : given,
            several ? MOST_VALUES : 1);
      }
      WriteOptions.taken(parameter).stream()
          .filter(part -> part.place().equals("query"))
          .forEach(part -> names.put(part.wire(), 1));
    }
    return Optional.of(names);
  }
}
