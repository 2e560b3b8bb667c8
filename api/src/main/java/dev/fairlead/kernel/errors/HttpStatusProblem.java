package dev.fairlead.kernel.errors;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;

/** The refusal for a bare HTTP status without further information. */
public final class HttpStatusProblem {
  private HttpStatusProblem() {}

  /** A status without a specific code becomes the general code of its class: 400 or 500. */
  public static Refusal of(int status) {
    return switch (status) {
      case 401 ->
          new Refusal(
              ProblemCode.UNAUTHENTICATED, "Send the header Authorization: Bearer <token>.");
      case 403 ->
          new Refusal(ProblemCode.FORBIDDEN, "You do not have permission for this" + " request.");
      case 404 ->
          new Refusal(
              ProblemCode.NOT_FOUND, "This path does not exist. /v3/api-docs lists all paths.");
      case 405 ->
          new Refusal(
              ProblemCode.METHOD_NOT_ALLOWED, "This path does not support the" + " method.");
      case 406 ->
          new Refusal(
              ProblemCode.NOT_ACCEPTABLE,
              "The Accept header excludes the media types of this path.");
      case 408 ->
          new Refusal(
              ProblemCode.REQUEST_TIMEOUT, "The request did not arrive in time. Repeat it.");
      case 413 -> new Refusal(ProblemCode.BODY_TOO_LARGE, "The request is too large.");
      case 414 ->
          new Refusal(
              ProblemCode.URI_TOO_LONG,
              "The path and its query have more than 8 KiB. Split it into several requests.");
      case 415 ->
          new Refusal(
              ProblemCode.UNSUPPORTED_MEDIA_TYPE, "This Content-Type is not supported" + " here.");
      case 431 ->
          new Refusal(
              ProblemCode.HEADERS_TOO_LARGE,
              "The headers have more than 8 KiB. Send fewer or shorter ones.");
      case 503 ->
          new Refusal(
              ProblemCode.UNAVAILABLE,
              "The service is not ready. Retry the request in a few seconds.");
      default -> // 501 and 505 are Tomcat's for a transfer encoding or a version it does not know
          status < 500 || status == 501 || status == 505
              ? new Refusal(
                  ProblemCode.INVALID_PARAMETER,
                  "The path, a parameter or a header cannot be read. Names cannot contain a"
                      + " slash, backslash, semicolon, percent sign or control character.")
              : new Refusal(
                  ProblemCode.INTERNAL,
                  "The service failed. Search the server log for this request id.");
    };
  }
}
