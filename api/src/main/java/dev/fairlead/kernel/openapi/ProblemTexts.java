package dev.fairlead.kernel.openapi;

/** Descriptions of error statuses in the API document. */
final class ProblemTexts {
  private ProblemTexts() {}

  static String of(String status) {
    return switch (status) {
      case "400" ->
          "The body is malformed (MALFORMED_BODY), or a parameter, header or page token is"
              + " invalid.";
      case "401" -> "The token is missing or invalid.";
      case "403" -> "The caller does not have the permission.";
      case "404" -> "No object with this name or id exists.";
      case "406" -> "The header Accept excludes the media type of this operation.";
      case "409" ->
          "The name is in use, the state does not allow the operation, or the same request is in"
              + " progress.";
      case "408" -> "The body was not sent in time.";
      case "410" -> "Events after the position are no longer stored.";
      case "412" -> "The object has changed since it was read.";
      case "413" -> "The body exceeds 1 MiB.";
      case "414" -> "The path and query exceed 8 KiB.";
      case "415" -> "The Content-Type is not supported.";
      case "422" -> "The request is well-formed but has invalid fields, which errors lists.";
      case "428" -> "The header If-Match is missing.";
      case "429" ->
          "Too many requests of this kind are in progress. Retry after the time in Retry-After.";
      case "431" -> "The headers exceed 8 KiB.";
      case "503" ->
          "The database or a cluster is unreachable. Retry after the time in Retry-After.";
      default -> "The service failed.";
    };
  }
}
