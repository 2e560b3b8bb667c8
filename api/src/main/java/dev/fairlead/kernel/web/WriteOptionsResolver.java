package dev.fairlead.kernel.web;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.TypeMismatchException;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * Reads {@link WriteOptions} from a request. Parts that the operation does not take are ignored.
 */
final class WriteOptionsResolver implements HandlerMethodArgumentResolver {

  @Override
  public boolean supportsParameter(MethodParameter parameter) {
    return parameter.getParameterType() == WriteOptions.class;
  }

  @Override
  public Object resolveArgument(
      MethodParameter parameter,
      @Nullable ModelAndViewContainer container,
      NativeWebRequest request,
      @Nullable WebDataBinderFactory binders)
      throws Exception {
    List<WritePart> taken = WriteOptions.taken(parameter);
    return new WriteOptions(
        taken,
        header(request, WritePart.IF_MATCH),
        header(request, WritePart.KEY),
        flag(parameter, request, Objects.requireNonNull(binders)));
  }

  /** A repeated header is one list. */
  private static @Nullable String header(NativeWebRequest request, WritePart part) {
    String[] values = request.getHeaderValues(part.wire());
    return values == null ? null : String.join(",", values);
  }

  private static boolean flag(
      MethodParameter parameter, NativeWebRequest request, WebDataBinderFactory binders)
      throws Exception {
    String name = WritePart.VALIDATE_ONLY.wire();
    String given = request.getParameter(name);
    try {
      return Boolean.TRUE.equals(
          binders.createBinder(request, null, name).convertIfNecessary(given, Boolean.class));
    } catch (TypeMismatchException wrong) {
      throw new MethodArgumentTypeMismatchException(given, Boolean.class, name, parameter, wrong);
    }
  }
}
