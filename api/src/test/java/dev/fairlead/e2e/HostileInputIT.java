package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.fairlead.figures.Figure;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.web.servlet.DispatcherServlet;
import tools.jackson.databind.JsonNode;

/**
 * Input that breaks such APIs, against every operation of the document that takes a body or a
 * parameter: a problem document with a status from 400 to 499, and nothing stored. New operations
 * are included automatically.
 */
class HostileInputIT {
  private static final Http HTTP = RunningFairlead.shared().http();

  /** The first of {@link #BODIES}, which only the reader of a single operation could accept. */
  private static final int EVERY_BODY = 4;

  /** Invalid JSON, and mostly invalid YAML too. */
  private static final List<String> BODIES =
      List.of(
          "",
          "[]",
          "{\"a\":1,\"a\":2}",
          "{\"nobody-knows-this\":1}",
          "{",
          "null",
          "\"text\"",
          "\uFEFF{}",
          "{\"a\":1}x",
          "{\"a\":" + "9".repeat(1000) + "}",
          "{\"a\":\"\\u0000\"}",
          "{\"a\":\"\\ud800\"}",
          "{\"a\":NaN}",
          "{\"a\":0x10}",
          "[".repeat(100_000),
          "{\"a\":".repeat(100) + "1" + "}".repeat(100),
          "{\"x\":\"" + "x".repeat(1 << 20) + "\"}",
          "{\"name\":\"a\\r\\ndata: b\"}",
          "{\"name\":\"\\u202egnp\"}");

  /** Idempotent operations accept no key. */
  private static final List<String> WITHOUT_KEYS = List.of("/plan", "/usage/rebuild");

  private static final List<String> YAMLS =
      List.of(
          "a: &a [x,x]\nb: &b [*a,*a]\nc: " + "[*b,".repeat(60) + "x" + "]".repeat(60),
          "a: !!java.net.URL [http://127.0.0.1]",
          "base: &b {a: 1}\nc: {<<: *b}",
          "a:\n\tb: 1",
          "a: 1\n---\nb: 2",
          "a: *nothing",
          "a: yes\nb: 010");

  /** Never a valid value. */
  private static final List<String> TEXTS =
      List.of("", "\u0000", "a\r\nX: y", "\u202etxt", "a\u200bb", "x".repeat(5000), "\ud83d\u0000");

  private static final List<String> PATHS =
      List.of("-1", "..%2f..%2fetc", "%2e%2e%2f", "..;", "%00", "%0d%0aX:%20y", "a".repeat(9000));

  /**
   * In the build each operation gets this share of an input that is refused in one place for all.
   */
  private static final int SHARE = 4;

  private record Operation(String path, String method, JsonNode node) {
    /**
     * All inputs in the long form. In the build, every operation gets the first {@code every}
     * inputs and a different part of the others.
     */
    List<String> of(List<String> inputs, int every) {
      int turn = Math.floorMod((method + path).hashCode(), SHARE);
      return IntStream.range(0, inputs.size())
          .filter(i -> Figure.asked() || i < every || i % SHARE == turn)
          .mapToObj(inputs::get)
          .toList();
    }
  }

  private static List<Operation> operations() {
    List<Operation> operations = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path :
        RunningFairlead.documentedApi().get("paths").properties()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        operations.add(
            new Operation(
                path.getKey(), method.getKey().toUpperCase(Locale.ROOT), method.getValue()));
      }
    }
    return operations;
  }

  private static String stored() {
    StringBuilder all = new StringBuilder();
    for (String list : List.of("projects", "quotas", "clusters")) {
      HTTP.get("/api/v1/" + list)
          .json()
          .get("items")
          .forEach(item -> all.append(item.get("id").asString()).append(' '));
    }
    return all + HTTP.get("/api/v1/jobs?pageSize=1&view=BASIC").json().at("/items/0/id").asString();
  }

  @Tag(Figure.TAG)
  @Test
  void everyOperationRejectsTheHostileBodyCorpus() {
    String before = stored();
    int sent = 0;
    for (Operation operation : operations()) {
      if (operation.node().has("requestBody")) {
        for (String body : operation.of(BODIES, EVERY_BODY)) {
          refused(operation, body, "application/json");
          sent++;
        }
        for (String body : operation.of(YAMLS, 1)) {
          refused(operation, body, "application/yaml");
          sent++;
        }
      }
    }

    assertThat(sent).isGreaterThan(200);
    assertThat(stored()).isEqualTo(before);
  }

  private static void refused(Operation operation, String body, String type) {
    String path =
        operation
            .path()
            .replace("{project}", "default")
            .replace("{quota}", "default")
            .replaceAll("\\{[A-Za-z]+}", "job_01k00000000000000000000000");
    Http.Answer answer =
        HTTP.send(operation.method(), path, body, "Content-Type", type, "If-Match", "\"1\"");
    problem(operation, answer, body.length() > 60 ? body.substring(0, 60) : body);
  }

  private static void problem(Operation operation, Http.Answer answer, String what) {
    assertThat(answer.status())
        .as(operation.method() + " " + operation.path() + " " + what + " " + answer.body())
        .isBetween(400, 499);
    assertThat(answer.header("Content-Type")).as(what).isEqualTo("application/problem+json");
    assertThat(answer.body()).doesNotContain("Exception", "\tat ");
  }

  @Tag(Figure.TAG)
  @Test
  void unstorableTextIsRejectedAsAParameter() {
    String before = stored();
    for (Operation operation : operations()) {
      // refused by the firewall while the guard reads it: 500 if the exception is not caught
      String strange =
          operation.path().replaceAll("\\{[A-Za-z]+}", "nothing") + "?%C2%92%F3%80%AA%9E=1";
      problem(operation, HTTP.send(operation.method(), strange, body(operation)), strange);
      for (JsonNode parameter : operation.node().path("parameters")) {
        if (parameter.get("in").asString().equals("query")) {
          for (String text : operation.of(TEXTS, 2)) {
            String path = operation.path().replaceAll("\\{[A-Za-z]+}", "nothing");
            String query =
                parameter.get("name").asString()
                    + "="
                    + URLEncoder.encode(text, StandardCharsets.UTF_8);
            problem(
                operation,
                HTTP.send(operation.method(), path + "?" + query, body(operation)),
                query);
          }
        }
      }
    }
    assertThat(stored()).isEqualTo(before);
  }

  /**
   * The servlet that logs its parameters reads them before a controller can. Fails without the
   * handler for requests that the firewall refuses: the response would have no body.
   */
  @Test
  void malformedParameterReturnsAProblemWhenRequestsAreLogged() {
    Logger servlet = (Logger) LoggerFactory.getLogger(DispatcherServlet.class);
    Level before = servlet.getLevel();
    servlet.setLevel(Level.TRACE);
    try {
      String strange = "/api/v1/jobs?%C2%92%F3%80%AA%9E=1";
      Http.Answer answer = HTTP.get(strange);
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
    } finally {
      servlet.setLevel(before);
    }
  }

  private static String body(Operation operation) {
    return operation.node().has("requestBody") ? "{}" : null;
  }

  @Tag(Figure.TAG)
  @Test
  void hostilePathSegmentsReturnClientErrors() {
    for (Operation operation : operations()) {
      if (operation.path().contains("{")) {
        for (String segment : operation.of(PATHS, 1)) {
          String path = operation.path().replaceAll("\\{[A-Za-z]+}", segment);
          Http.Answer answer = HTTP.send(operation.method(), path, body(operation));
          assertThat(answer.status()).as(operation.method() + " " + path).isBetween(400, 499);
        }
      }
    }
  }

  @Test
  void forgedHeadersAreRejected() {
    for (Operation operation : operations()) {
      if (operation.method().equals("POST") && !operation.path().contains("{job}")) {
        String path = operation.path().replaceAll("\\{[A-Za-z]+}", "default");
        Http.Answer answer =
            HTTP.send(
                "POST",
                path,
                "{\"image\":\"x\"}",
                "Content-Type",
                "application/json",
                "Idempotency-Key",
                "k".repeat(256));
        if (WITHOUT_KEYS.stream().noneMatch(operation.path()::endsWith)) {
          problem(operation, answer, "a key of 256 characters");
        }
      }
    }
    assertThat(HTTP.get("/api/v1/jobs?pageSize=-1").status()).isEqualTo(400);
    assertThat(HTTP.get("/api/v1/jobs?pageToken=AAAA").code()).isEqualTo("INVALID_PAGE_TOKEN");
    assertThat(HTTP.get("/api/v1/jobs?pageSize=5&pageSize=6").code())
        .isEqualTo("INVALID_PARAMETER");
  }

  /** Fails when a body is read while it holds a shared request permit. */
  @Test
  void incompleteBodiesBlockNoOtherRequest() throws IOException {
    String head =
        "POST /api/v1/projects/default/jobs HTTP/1.1\r\n"
            + "Host: localhost\r\n"
            + "Content-Type: application/json\r\n";
    try (HeldSockets sockets =
        HeldSockets.open(HTTP.base(), 40, head + "Content-Length: 9\r\n\r\n{")) {
      assertThat(HTTP.get("/api/v1/me").status()).isEqualTo(200);
      assertThat(HTTP.json("/api/v1/jobs/plan", "{\"image\":\"x\"}").status()).isEqualTo(200);
      assertThat(sockets.count()).isEqualTo(40);
    }
    Http.Answer large = RawHttp.exchange(HTTP.base(), head + "Content-Length: 99999999\r\n\r\n{");
    assertThat(large.code()).isEqualTo("BODY_TOO_LARGE");
  }

  /**
   * Fails when a form is read before its length is checked: it was buffered completely in memory.
   */
  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE"})
  void formBodyIsHandledLikeAnyOther(String method) {
    String form =
        method
            + " /api/v1/projects/default HTTP/1.1\r\n"
            + "Host: localhost\r\n"
            + "Content-Type: application/x-www-form-urlencoded\r\n"
            + "Content-Length: 99999999\r\n\r\na=";

    assertThat(RawHttp.exchange(HTTP.base(), form).code()).isEqualTo("BODY_TOO_LARGE");
  }
}
