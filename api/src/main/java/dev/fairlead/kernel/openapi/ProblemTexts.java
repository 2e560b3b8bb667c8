package dev.fairlead.kernel.openapi;

/** What an error status means, for the document. */
final class ProblemTexts {
  private ProblemTexts() {}

  static String of(String status) {
    return switch (status) {
      case "400" ->
          "The body cannot be read (MALFORMED_BODY), or a parameter, header or page token is"
              + " wrong.";
      case "401" -> "No token, or a wrong one.";
      case "403" -> "Not allowed for the caller.";
      case "404" -> "There is nothing of that name or id.";
      case "406" -> "The Accept header excludes the media types of this operation.";
      case "409" ->
          "The name is taken, the state does not allow it, or the same request is under way.";
      case "408" -> "The body was not sent in time.";
      case "410" -> "Events after this position have expired.";
      case "412" -> "It was changed since it was read.";
      case "413" -> "The body is over 1 MiB.";
      case "414" -> "The path and its query have more than 8 KiB.";
      case "415" -> "The Content-Type is not read here.";
      case "422" ->
          "The request can be read, but not everything in it is allowed; errors names each field.";
      case "428" -> "The header If-Match is missing.";
      case "429" ->
          "The limit of concurrent requests of this kind is reached; repeat after Retry-After.";
      case "431" -> "The headers have more than 8 KiB.";
      case "503" -> "The database or a cluster cannot be reached; repeat after Retry-After.";
      default -> "Something failed in the service.";
    };
  }
}
