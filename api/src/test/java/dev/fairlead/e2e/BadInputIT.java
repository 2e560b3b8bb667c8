package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** For any request: a problem document without delay, and nothing stored. */
class BadInputIT {
  private static final String JOBS = "/api/v1/projects/default/jobs";
  private final Http http = RunningFairlead.shared().http();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{image: x, nmae: bad-input}          | 422 | UNKNOWN_FIELD  | /nmae    | name",
        "{name: bad-input}                    | 422 | INVALID_FIELD  | /image   |",
        "{name: bad-input, image: x, workers: 0}  | 422 | INVALID_FIELD | /workers | 1",
        "{name: bad-input, image: x, gpu: -1}     | 422 | INVALID_FIELD | /gpu     | 0",
        "{name: Bad_Input, image: x}          | 422 | INVALID_FIELD  | /name    | bad-input",
        "{name: bad-input, image: x, queue: nowhere} | 422 | INVALID_FIELD | /queue | default",
        "{name: bad-input, image: x, env: {LD_PRELOAD: x}} | 422 | RESERVED_NAME | /env/LD_PRELOAD"
            + " |",
        "{name: bad-input, image: x, dependsOn: [job_01k00000000000000000000000]} | 422 |"
            + " INVALID_FIELD | /dependsOn/0 |",
        "{name: bad-input, image: x, state: RUNNING} | 422 | UNKNOWN_FIELD | /state |"
      })
  void invalidSpecNamesTheFieldAndStoresNothing(
      String spec, int status, String code, String pointer, String suggestion) {
    Http.Answer answer = http.yaml(JOBS, spec);

    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.code()).isEqualTo(code);
    JsonNode error = answer.json().get("errors").get(0);
    assertThat(error.get("pointer").asString()).isEqualTo(pointer);
    assertThat(error.get("code").asString()).isEqualTo(code);
    if (suggestion != null) {
      assertThat(error.get("suggestion").asString()).isEqualTo(suggestion);
    }
    assertThat(http.get("/api/v1/jobs?name=bad-input").json().get("items")).isEmpty();
  }

  @Test
  void allErrorsAreReportedInOneResponse() {
    Http.Answer answer =
        http.json(JOBS, "{\"gpu\":-1,\"workers\":0,\"labels\":{\"a b\":1},\"x\":1}");

    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.json().get("errors")).hasSize(5);
    assertThat(answer.json().at("/metadata/problems").asInt()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"name\": }",
        "{",
        "[]",
        "\"text\"",
        "null",
        "{\"a\":1}x",
        "{\"a\":1,\"a\":1}",
        "\uFEFF{}"
      })
  void brokenJsonIsRefused(String body) {
    Http.Answer answer = http.json(JOBS, body);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.code()).isEqualTo("MALFORMED_BODY");
  }

  @Test
  void brokenBodiesNameLineAndColumn() {
    JsonNode yaml = http.yaml(JOBS, "image: x\nlabels:\n\tteam: a\n").json();
    JsonNode json = http.json(JOBS, "{\n \"image\": x\n}").json();

    assertThat(yaml.at("/metadata/line").asInt()).isEqualTo(3);
    assertThat(json.at("/metadata/line").asInt()).isEqualTo(2);
    assertThat(json.get("detail").asString()).startsWith("Line 2, column ");
  }

  @Test
  void sizeDepthAndEncodingAreBounded() {
    long from = System.nanoTime();
    assertThat(http.json(JOBS, "{\"image\":\"" + "x".repeat(1 << 20) + "\"}").status())
        .isEqualTo(413);
    assertThat(http.json(JOBS, "[".repeat(100_000)).status()).isEqualTo(400);
    assertThat(http.json(JOBS, "{\"workers\":" + "9".repeat(1000) + "}").status()).isEqualTo(400);
    assertThat(http.json(JOBS, "{\"image\":\"\\u0000\"}").status()).isEqualTo(400);
    assertThat(http.json(JOBS, "{\"image\":\"\\ud800\"}").status()).isEqualTo(400);
    assertThat(
            http.yaml(
                    JOBS,
                    "a: &a [x,x]\nb: &b [*a,*a]\nc: " + "[*b,".repeat(60) + "x" + "]".repeat(60))
                .status())
        .isEqualTo(400);
    assertThat(http.json(JOBS, "{}", "Content-Encoding", "gzip").status()).isEqualTo(415);
    // without a bound one of these takes minutes
    assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(90));
  }

  @Test
  void mediaTypesOtherThanJsonAndYamlAreRefused() {
    assertThat(http.send("POST", JOBS, "image: x").status()).isEqualTo(415);
    for (String type :
        new String[] {"text/plain", "application/xml", "application/json;charset=utf-16", "*/*"}) {
      assertThat(http.send("POST", JOBS, "{}", "Content-Type", type).code())
          .as(type)
          .isEqualTo("UNSUPPORTED_MEDIA_TYPE");
    }
  }

  @Test
  void anUnknownProjectIsNotFound() {
    for (String project :
        new String[] {"nowhere", "Nowhere", "a".repeat(300), "%2e", "%F0%9F%98%80"}) {
      Http.Answer answer = http.json("/api/v1/projects/" + project + "/jobs", "{\"image\":\"x\"}");
      assertThat(answer.status()).as(project).isIn(400, 404);
      assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
    }
    assertThat(http.json("/api/v1/projects/nowhere/jobs", "{\"image\":\"x\"}").code())
        .isEqualTo("NOT_FOUND");
  }

  @Test
  void nameIsReusableOnlyAfterItsJobEnded() {
    String spec = "{name: twice, image: x, placement: {clusters: [nowhere]}}";
    Http.Answer first = http.yaml(JOBS, spec);
    Http.Answer second = http.yaml(JOBS, spec);
    http.json("/api/v1/jobs/" + first.json().get("id").asString() + "/cancel", "");
    Http.Answer third = http.yaml(JOBS, spec);

    assertThat(first.status()).isEqualTo(201);
    assertThat(second.status()).isEqualTo(409);
    assertThat(second.code()).isEqualTo("NAME_IN_USE");
    assertThat(third.status()).isEqualTo(201);
  }

  @Test
  void dryRunStoresNothingAndAppliesTheSameValidation() {
    Http.Answer good = http.yaml(JOBS + "?validateOnly=true", "{name: dry, image: x, gpu: 1}");
    Http.Answer bad = http.yaml(JOBS + "?validateOnly=true", "{name: dry, image: x, gpu: -1}");

    assertThat(good.status()).isEqualTo(201);
    assertThat(good.json().at("/spec/gpu/count").asInt()).isEqualTo(1);
    assertThat(bad.status()).isEqualTo(422);
    assertThat(http.get("/api/v1/jobs?name=dry").json().get("items")).isEmpty();
  }

  @Test
  void batchReportsTheResultOfEachItem() {
    String items =
        "{\"name\":\"b-1\",\"image\":\"x\"},{\"image\":\"x\",\"gpu\":-1},{\"name\":\"b-1\",\"image\":\"x\"}";
    JsonNode atomic =
        http.json(JOBS + "/batch", "{\"atomic\":true,\"items\":[" + items + "]}")
            .json()
            .get("items");
    JsonNode single = http.json(JOBS + "/batch", "{\"items\":[" + items + "]}").json().get("items");

    assertThat(atomic).extracting(i -> i.get("status").asInt()).containsExactly(409, 422, 409);
    assertThat(single).extracting(i -> i.get("status").asInt()).containsExactly(201, 422, 409);
    assertThat(single.get(1).at("/problem/errors/0/pointer").asString()).isEqualTo("/items/1/gpu");
    assertThat(http.get("/api/v1/jobs?name=b-1").json().get("items")).hasSize(1);
    assertThat(http.json(JOBS + "/batch", "{\"items\":[]}").status()).isEqualTo(422);
    assertThat(http.json(JOBS + "/batch", "{\"items\":[" + "{},".repeat(1000) + "{}]}").status())
        .isEqualTo(422);
  }
}
