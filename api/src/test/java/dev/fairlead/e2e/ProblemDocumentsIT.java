package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Every error is a problem document, regardless of its origin. */
class ProblemDocumentsIT {
  private final Http http = RunningFairlead.shared().http();

  @ParameterizedTest
  @CsvSource({
    "GET,    /nothing,                               404, NOT_FOUND",
    "GET,    /api/v1/nothing,                        404, NOT_FOUND",
    "GET,    /api/v2/jobs,                           404, NOT_FOUND",
    "GET,    /api/v1/jobs/llama,                     404, NOT_FOUND",
    "GET,    /api/v1/jobs/job_01k00000000000000000000000, 404, NOT_FOUND",
    "GET,    /api/v1/jobs/JOB_01K00000000000000000000000, 404, NOT_FOUND",
    "GET,    /api/v1/jobs/job_01k00000000000000000000000/logs, 404, NOT_FOUND",
    "GET,    /api/v1/clusters/nowhere,               404, NOT_FOUND",
    "GET,    /api/v1/quotas/nowhere,                 404, NOT_FOUND",
    "GET,    /api/v1/projects/nowhere,               404, NOT_FOUND",
    "GET,    /api/v1/projects/nowhere/jobs,          404, NOT_FOUND",
    "PUT,    /api/v1/jobs,                           405, METHOD_NOT_ALLOWED",
    "DELETE, /api/v1/version,                        405, METHOD_NOT_ALLOWED",
    "GET,    /api/v1/jobs?pageSize=-1,               400, INVALID_PARAMETER",
    "GET,    /api/v1/jobs?pageSize=501,              400, INVALID_PARAMETER",
    "GET,    /api/v1/jobs?pageSize=ten,              400, INVALID_PARAMETER",
    "GET,    /api/v1/jobs?pageToken=forged,          400, INVALID_PAGE_TOKEN",
    "GET,    /api/v1/jobs?state=SLEEPING,            400, INVALID_PARAMETER",
    "GET,    /api/v1/jobs?stat=QUEUED,               400, INVALID_PARAMETER",
    "GET,    /api/v1/jobs?label=team,                400, INVALID_PARAMETER",
    "GET,    /api/v1/jobs?createdAfter=yesterday,    400, INVALID_PARAMETER",
    "GET,    /api/v1/jobs?name=%00,                  400, INVALID_PARAMETER",
    "GET,    /api/v1/jobs?name=%zz,                  400, INVALID_PARAMETER",
    "GET,    /api/v1/jobs?name=%E2%80%AEx,           400, INVALID_PARAMETER",
    "GET,    /api/v1/jobs/..%2f..%2fetc,             400, INVALID_PARAMETER",
    "GET,    /api/v1/jobs/..;/x,                     400, INVALID_PARAMETER",
    "GET,    /%61pi/v1/jobs,                         400, INVALID_PARAMETER",
    "GET,    /api/v1/%6aobs?pageSize=-1,             400, INVALID_PARAMETER",
    "POST,   /api/v1/projects/default/jobs,          415, UNSUPPORTED_MEDIA_TYPE",
    "DELETE, /api/v1/quotas/default,                 428, PRECONDITION_REQUIRED"
  })
  void anErrorCarriesItsCode(String method, String path, int status, String code) {
    Http.Answer answer = raw(method, path);

    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
    JsonNode problem = answer.json();
    assertThat(problem.get("code").asString()).isEqualTo(code);
    assertThat(problem.get("status").asInt()).isEqualTo(status);
    assertThat(problem.get("requestId").asString())
        .isEqualTo(answer.header("X-Request-Id"))
        .isNotEmpty();
    assertThat(problem.get("instance").asString()).isEqualTo(path.replaceAll("\\?.*", ""));
    assertThat(problem.get("detail").asString())
        .matches(".*[.?]")
        .doesNotContain("Exception", "dev.fairlead");
    assertThat(problem.get("errors").isArray()).isTrue();
    assertThat(problem.get("metadata").isObject()).isTrue();
  }

  /** Sent unchanged: a client library would normalize or refuse some of these paths. */
  private Http.Answer raw(String method, String path) {
    try {
      return http.send(method, path, null);
    } catch (IllegalArgumentException refusedByTheClient) {
      return RawHttp.send(http.base(), method, path);
    }
  }

  @Test
  void everyProblemTypeLinksToASectionOfAPage() {
    String type = http.get("/nothing").json().get("type").asString();
    String page = http.get(type.substring(0, type.indexOf('#'))).body();

    assertThat(page).contains("id=\"" + type.substring(type.indexOf('#') + 1) + "\"");
  }

  @Test
  void allowedMethodsAreListed() {
    assertThat(http.send("PUT", "/api/v1/jobs", null).header("Allow")).isEqualTo("GET");
  }

  @Test
  void unacceptableMediaTypeStillReturnsAProblemDocument() {
    Http.Answer answer = http.get("/api/v1/jobs", "Accept", "text/html");

    assertThat(answer.status()).isEqualTo(406);
    assertThat(answer.code()).isEqualTo("NOT_ACCEPTABLE");
  }

  @Test
  void validRequestIdIsRetainedAndAnInvalidOneReplaced() {
    assertThat(http.get("/api/v1/version", "X-Request-Id", "abc-123").header("X-Request-Id"))
        .isEqualTo("abc-123");
    assertThat(http.get("/api/v1/version", "X-Request-Id", "a b<c>").header("X-Request-Id"))
        .matches("[0-9a-z]{26}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /api/v1/jobs\u0001 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /api/v1/{jobs} HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /api/v1/jobs HTTP/1.1\r\n\r\n",
        "GET /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nX-Long: LONG\r\n\r\n",
        "GET /api/v1/jobs HTTP/9.9\r\nHost: localhost\r\n\r\n",
        "NONSENSE\r\n\r\n"
      })
  void unreadableRequestsReturnAProblemDocumentToo(String request) {
    Http.Answer answer = RawHttp.exchange(http.base(), request.replace("LONG", "x".repeat(70_000)));

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.code()).isEqualTo("INVALID_PARAMETER");
  }

  @ParameterizedTest
  @CsvSource({"evil.example.com,", "127.0.0.1, https://evil.example.com"})
  void otherOriginCannotActAsTheLocalAdministrator(String host, String origin) {
    // fails when CallerAuthenticationFilter does not look at Host and Origin
    String headers =
        "Host: " + host + "\r\n" + (origin == null ? "" : "Origin: " + origin + "\r\n");
    Http.Answer answer = RawHttp.send(http.base(), "GET", "/api/v1/me", headers);

    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.code()).isEqualTo("FORBIDDEN");
  }

  /** Fails when a form, which browsers send to any site without a preflight, changes something. */
  @ParameterizedTest
  @CsvSource({
    "Origin: null",
    "Origin: http://127.0.0.1:1",
    "Sec-Fetch-Site: cross-site",
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
  })
  void formPostFromAnotherOriginChangesNothing(String header) {
    for (String type :
        new String[] {"application/x-www-form-urlencoded", "text/plain", "multipart/form-data"}) {
      String headers =
          "Host: localhost\r\nContent-Type: "
              + type
              + "\r\nContent-Length: 0\r\n"
              + header
              + "\r\n";
      Http.Answer answer = RawHttp.send(http.base(), "POST", "/api/v1/nodes/a/cordon", headers);

      assertThat(answer.status()).as(type).isEqualTo(403);
      assertThat(answer.body()).contains("another site");
    }
  }
}
