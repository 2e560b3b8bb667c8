package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The refusals of the API, with their texts and statuses. */
class RefusalsIT {
  private static final Http HTTP = RunningFairlead.shared().http();
  private static final String JOBS = "/api/v1/projects/default/jobs";

  /** Fails when a time is sent to PostgreSQL that it cannot store: the answer was 500. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/jobs?createdAfter=",
        JOBS + "?createdAfter=",
        "/api/v1/jobs/summary?createdAfter=",
        "/api/v1/events?since=",
        "/api/v1/events/stream?since="
      })
  void timesOutOfRangeAreRefusedWithTheRange(String path) {
    for (String time :
        List.of(
            "%2B999999999-01-01T00:00:00Z",
            "-999999999-01-01T00:00:00Z",
            "%2B10000-01-01T00:00:00Z",
            "9999-01-01T00:00:00Z",
            "1969-12-31T23:59:59Z")) {
      Http.Answer answer = HTTP.get(path + time);

      assertThat(answer.code()).as(path + time).isEqualTo("INVALID_PARAMETER");
      assertThat(answer.body()).contains("from 1970 to 9998");
    }
  }

  /** Fails when an id that this installation never issued reaches a column that cannot store it. */
  @Test
  void forgedEventIdIsRejectedAsPosition() {
    for (char first : "1234567".toCharArray()) {
      String id = "evt_" + first + "z".repeat(25);

      assertThat(HTTP.get("/api/v1/events?since=" + id).code()).isEqualTo("POSITION_EXPIRED");
    }
  }

  /** Fails when a trial of a deletion checks less than the deletion. */
  @Test
  void dryRunOfADeletionIsRejectedLikeTheDeletion() {
    assertThat(HTTP.yaml(JOBS, "{image: x, placement: {clusters: [nowhere]}}").status())
        .isEqualTo(201);
    for (String path : List.of("projects/default", "quotas/root", "quotas/default")) {
      String[] any = {"If-Match", "*"};
      Http.Answer trial = HTTP.send("DELETE", "/api/v1/" + path + "?validateOnly=true", null, any);
      Http.Answer real = HTTP.send("DELETE", "/api/v1/" + path, null, any);

      assertThat(trial.code()).as(path).isEqualTo("IN_USE").isEqualTo(real.code());
    }
    HTTP.json("/api/v1/projects", "{\"name\":\"tried\"}");
    assertThat(HTTP.send("DELETE", "/api/v1/projects/tried?validateOnly=true", null).status())
        .isEqualTo(204);
    assertThat(HTTP.get("/api/v1/projects/tried").status()).as("it is still there").isEqualTo(200);
    assertThat(HTTP.send("DELETE", "/api/v1/projects/tried", null).status()).isEqualTo(204);
  }

  /** Fails when If-Match accepts only one tag: RFC 9110, section 13.1.1. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "*                  | 200",
        "\"77\", \"1\"      | 200",
        "\"1\"              | 200",
        "\"77\", \"78\"     | 412",
        "\"77\"             | 412",
        "W/\"1\"            | 412",
        "\"other\"          | 412",
        "1                  | 400",
        "\"1\", *           | 400"
      })
  void ifMatchAcceptsStarsAndLists(String tags, int status) {
    HTTP.json("/api/v1/projects", "{\"name\":\"tagged\"}");
    Http.Answer answer =
        HTTP.send(
            "PATCH",
            "/api/v1/projects/tagged?validateOnly=true",
            "{\"defaultQueue\":\"default\"}",
            "Content-Type",
            "application/json",
            "If-Match",
            tags);

    assertThat(answer.status()).as(answer.body()).isEqualTo(status);
  }

  /** Each text names the field, the bound and the given value. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "env: {'': x}                          | \"\" is not a valid name of an environment variable",
        "dependsOn: [0]                        | dependsOn[0] must be",
        "maxRuntime: 106752d                   | from 1s to 365d",
        "notBefore: 10000-01-01T00:00:00Z      | from 1970 to 9998",
        "cpu: 0.0000001                        | cores from 1m to 10000"
      })
  void aRefusalNamesFieldAndBound(String field, String text) {
    Http.Answer answer = HTTP.yaml(JOBS + "?validateOnly=true", "image: x\n" + field);

    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.json().at("/errors/0/detail").asString()).contains(text);
  }

  /** Fails when a caller has to guess the type of a parameter, or the reason for a refused path. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/api/v1/jobs?pageSize=abc | The parameter pageSize must be a number.",
        "/api/v1/jobs/a%2Fb        | Names cannot contain a slash"
      })
  void rejectedParameterOrPathNamesItsRule(String path, String text) {
    Http.Answer answer = HTTP.get(path);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.json().at("/detail").asString()).contains(text);
  }

  /** Fails when the parser's own message is sent to the caller. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\":%s}",
        "{\"a\":1}x",
        "{\"a\":NaN}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":999999999999999999999999999999999999999999999999999999999999999999999999}"
      })
  void noRejectionNamesALibrary(String body) {
    String sent = body.replace("%s", "[".repeat(70) + "]".repeat(70));
    Http.Answer answer = HTTP.json(JOBS, sent);

    assertThat(answer.code()).isEqualTo("MALFORMED_BODY");
    assertThat(answer.body()).doesNotContain("tools.jackson", "Stream", "Feature", "()", "`");
    assertThat(HTTP.yaml(JOBS, "%YAML 9.9\n---\na: 1").body()).doesNotContain("Version{");
  }

  /** Fails when a request that is too long has no better status than 400. */
  @Test
  void oversizedRequestsHaveTheirOwnStatus() {
    assertThat(HTTP.get("/api/v1/jobs?name=" + "x".repeat(20_000)).code())
        .isEqualTo("URI_TOO_LONG");
    assertThat(HTTP.get("/api/v1/jobs", "X-Long", "x".repeat(20_000)).code())
        .isEqualTo("HEADERS_TOO_LARGE");
    assertThat(
            HTTP.send("POST", JOBS, "{}", "Content-Type", "application/json;charset=nonsense")
                .body())
        .contains("This Content-Type cannot be read");
  }

  /** Fails when a project can have the namespace in which Fairlead's own service account lives. */
  @Test
  void namespaceOfFairleadCannotBelongToAProject() {
    Http.Answer answer = HTTP.json("/api/v1/projects", "{\"name\":\"system\"}");

    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    assertThat(HTTP.namespace("system")).matches("fairlead-default-system-[0-9a-f]{10}");
  }
}
