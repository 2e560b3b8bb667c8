package dev.fairlead.kernel.web;

import dev.fairlead.kernel.errors.DatabaseTrouble;
import dev.fairlead.kernel.errors.HttpStatusProblem;
import dev.fairlead.kernel.errors.ProblemWriter;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.security.web.firewall.RequestRejectedException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.accept.InvalidApiVersionException;
import org.springframework.web.bind.MissingRequestValueException;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;

/** Turns every exception of a request into a problem document. No stack trace leaves the server. */
@RestControllerAdvice
public class ProblemAdvice {
  private static final Logger LOG = LoggerFactory.getLogger(ProblemAdvice.class);

  @ExceptionHandler(Exception.class)
  public void handle(Exception thrown, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (thrown instanceof IOException) {
      LOG.debug("the caller of {} disconnected", request.getRequestURI());
      return;
    }
    if (thrown instanceof ErrorResponse known && !response.isCommitted()) {
      known
          .getHeaders()
          .forEach((name, values) -> values.forEach(value -> response.addHeader(name, value)));
    }
    ProblemWriter.write(request, response, refusal(thrown));
  }

  private static Refusal refusal(Exception thrown) {
    return switch (thrown) {
      case Refusal refusal -> refusal;
      case Conflict conflict -> conflict(conflict);
      case MethodArgumentTypeMismatchException wrong -> parameter(wrong);
      case MissingServletRequestParameterException missing ->
          Parameters.refused(missing.getParameterName(), "is missing");
      case MissingRequestValueException missing ->
          new Refusal(ProblemCode.INVALID_PARAMETER, String.valueOf(missing.getMessage()));
      case HttpMessageNotReadableException empty ->
          new Refusal(ProblemCode.MALFORMED_BODY, "The body is missing.");
      case HttpMediaTypeNotSupportedException wrong -> mediaType(wrong);
      case HttpRequestMethodNotSupportedException wrong ->
          new Refusal(
              ProblemCode.METHOD_NOT_ALLOWED,
              wrong.getMethod()
                  + " is not supported by this path. The Allow header lists supported methods.");
      case InvalidApiVersionException wrong ->
          new Refusal(
              ProblemCode.NOT_FOUND,
              "There is no API version " + wrong.getVersion() + "; v1 is served.");
      case RequestRejectedException rejected -> HttpStatusProblem.of(400);
      case ErrorResponse known -> HttpStatusProblem.of(known.getStatusCode().value());
      default -> unexpected(thrown);
    };
  }

  private static Refusal unexpected(Exception thrown) {
    if (DatabaseTrouble.full(thrown)) {
      LOG.error("the database has no room: {}", thrown.toString());
      return new Refusal(
          ProblemCode.UNAVAILABLE,
          "The database disk is full, so nothing can be stored. Retry the request after an"
              + " operator has freed space.");
    }
    if (DatabaseTrouble.in(thrown)) {
      LOG.warn("the database did not answer: {}", thrown.toString());
      return new Refusal(
          ProblemCode.UNAVAILABLE,
          "The database cannot be reached. Retry the request in a few seconds.");
    }
    if (thrown.getClass().getName().startsWith("org.apache.tomcat.")) {
      return HttpStatusProblem.of(400); // a query string that cannot be decoded
    }
    LOG.error("a request failed", thrown);
    return HttpStatusProblem.of(500);
  }

  private static Refusal conflict(Conflict conflict) {
    LOG.info("a guard refused a request: {}", conflict.getMessage());
    return new Refusal(
        ProblemCode.ILLEGAL_STATE,
        "The object was changed concurrently. Read it again and repeat the request.");
  }

  private static Refusal parameter(MethodArgumentTypeMismatchException wrong) {
    TreeMap<String, Object> numbers = new TreeMap<>();
    numbers.put("parameter", wrong.getName());
    return new Refusal(
        ProblemCode.INVALID_PARAMETER,
        "The parameter " + wrong.getName() + " must be " + kind(wrong.getRequiredType()) + ".",
        List.of(),
        numbers);
  }

  private static String kind(@Nullable Class<?> type) {
    if (type == Boolean.class || type == boolean.class) {
      return "true or false";
    }
    return type != null && (type.isPrimitive() || Number.class.isAssignableFrom(type))
        ? "a number"
        : "in the form that the API documents";
  }

  private static Refusal mediaType(HttpMediaTypeNotSupportedException wrong) {
    String given =
        wrong.getContentType() == null
            ? "This Content-Type cannot be read."
            : "Content-Type " + wrong.getContentType() + " is not supported here.";
    return new Refusal(
        ProblemCode.UNSUPPORTED_MEDIA_TYPE,
        given + " Send application/json or application/yaml, in UTF-8.");
  }
}
