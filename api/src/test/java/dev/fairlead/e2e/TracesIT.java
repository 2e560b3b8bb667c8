package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The service sends traces to an OTLP receiver, which parses the official messages, and to a Zipkin
 * receiver.
 */
class TracesIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SUBMIT = "POST /api/v1/projects/{project}/jobs";
  private static final String CALLER = "00f067aa0ba902b7";
  private static final List<Span> SPANS = new CopyOnWriteArrayList<>();
  private static final Map<String, JsonNode> OF_ZIPKIN = new ConcurrentHashMap<>();
  private static HttpServer receiver;
  private static RunningFairlead fairlead;

  @BeforeAll
  static void start() throws IOException {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext("/v1/traces", TracesIT::take);
    receiver.createContext("/api/v2/spans", TracesIT::takeAsZipkin);
    receiver.start();
    String address = "http://127.0.0.1:" + receiver.getAddress().getPort();
    fairlead =
        RunningFairlead.start(
            "--fairlead.traces.endpoint=" + address + "/v1/traces",
            "--fairlead.traces.zipkin=" + address + "/api/v2/spans");
    fairlead
        .http()
        .yaml(
            "/api/v1/clusters",
            "{name: traced, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100}]}");
  }

  @AfterAll
  static void stop() {
    fairlead.close();
    receiver.stop(0);
  }

  private static void take(HttpExchange exchange) throws IOException {
    try (exchange;
        InputStream body = new GZIPInputStream(exchange.getRequestBody())) {
      ExportTraceServiceRequest.parseFrom(body).getResourceSpansList().stream()
          .flatMap(resource -> resource.getScopeSpansList().stream())
          .flatMap(scope -> scope.getSpansList().stream())
          .forEach(SPANS::add);
      byte[] answer = ExportTraceServiceResponse.getDefaultInstance().toByteArray();
      exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  private static void takeAsZipkin(HttpExchange exchange) throws IOException {
    try (exchange) {
      JsonMapper.shared()
          .readTree(exchange.getRequestBody())
          .forEach(span -> OF_ZIPKIN.put(span.get("id").asString(), span));
      exchange.sendResponseHeaders(202, -1);
    }
  }

  /**
   * Fails when the job's trace does not continue from the request, or the request's from its
   * caller.
   */
  @Test
  void oneTraceSpansTheCallerTheRequestAndTheRunningJob() {
    Http http = fairlead.http();
    Http.Answer job =
        http.yaml(
            "/api/v1/projects/default/jobs",
            "{image: x, gpu: 1, annotations: {sim.fairlead.dev/run-for: 15s}}",
            "traceparent",
            "00-" + TRACE + "-" + CALLER + "-01");

    assertThat(job.status()).isEqualTo(201);
    assertThat(job.header("traceparent")).startsWith("00-" + TRACE + "-").endsWith("-01");
    String request = job.header("traceparent").substring(36, 52);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(ofTrace().keySet())
                .containsExactlyInAnyOrder(SUBMIT, "job", "queue", "launch", "start", "run"));
    Map<String, Span> spans = ofTrace();
    Span submit = spans.get(SUBMIT);
    assertThat(hex(submit.getParentSpanId())).isEqualTo(CALLER);
    assertThat(hex(submit.getSpanId())).isEqualTo(request);
    Span root = spans.get("job");
    assertThat(hex(root.getParentSpanId())).isEqualTo(request);
    assertThat(root.getAttributesList())
        .anyMatch(said ->
            said.getKey().equals("fairlead.job")
                && said.getValue().getStringValue().equals(job.json().get("id").asString()));
    for (String stage : List.of("queue", "launch", "start", "run")) {
      assertThat(spans.get(stage).getParentSpanId()).as(stage).isEqualTo(root.getSpanId());
    }
    assertThat(spans.get("start").getEndTimeUnixNano()).isEqualTo(root.getEndTimeUnixNano());
    zipkinGotThe(spans.values());
  }

  /** Fails when a field has a different name or unit than in Zipkin's API. */
  private static void zipkinGotThe(Collection<Span> spans) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(spans)
                .allSatisfy(span -> {
                  JsonNode json = OF_ZIPKIN.get(hex(span.getSpanId()));
                  assertThat(json).as(span.getName()).isNotNull();
                  assertThat(json.get("traceId").asString()).isEqualTo(TRACE);
                  assertThat(json.get("parentId").asString())
                      .isEqualTo(hex(span.getParentSpanId()));
                  assertThat(json.get("name").asString()).isEqualTo(span.getName());
                  assertThat(json.get("timestamp").asLong())
                      .isEqualTo(span.getStartTimeUnixNano() / 1_000);
                  assertThat(json.get("duration").asLong()).isPositive();
                  assertThat(json.at("/localEndpoint/serviceName").asString())
                      .isEqualTo("fairlead");
                  assertThat(json.get("tags")).hasSize(span.getAttributesCount());
                  assertThat(json.has("kind")).isEqualTo(span.getName().equals(SUBMIT));
                }));
  }

  private static Map<String, Span> ofTrace() {
    return SPANS.stream()
        .filter(span -> hex(span.getTraceId()).equals(TRACE))
        .collect(Collectors.toMap(Span::getName, span -> span, (a, b) -> b));
  }

  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }

  /** Fails when a rejected caller, or a trace that is not sampled, creates a span. */
  @Test
  void unsampledTraceAndRequestWithoutAHandlerLeaveNoSpan() {
    Http http = fairlead.http();
    String unkept = "00-" + "c".repeat(32) + "-" + CALLER + "-00";
    Http.Answer job =
        http.yaml(
            "/api/v1/projects/default/jobs",
            "{name: unkept, image: x, annotations: {sim.fairlead.dev/run-for: 15s}}",
            "traceparent",
            unkept);
    assertThat(job.header("traceparent")).startsWith("00-" + "c".repeat(32)).endsWith("-00");
    String stray = "00-" + "d".repeat(32) + "-" + CALLER + "-01";
    assertThat(http.yaml("/api/v1/no-such-thing", "{}", "traceparent", stray).status())
        .isEqualTo(404);
    http.yaml(
        "/api/v1/projects/default/jobs",
        "{name: kept, image: x, annotations: {sim.fairlead.dev/run-for: 15s}}",
        "traceparent",
        "00-" + "e".repeat(32) + "-" + CALLER + "-01");

    String id = job.json().get("id").asString();
    assertThat(http.get("/api/v1/jobs/" + id).body()).doesNotContain("trace.fairlead.dev/request");
    await()
        .atMost(PATIENCE)
        .until(() ->
            http.get("/api/v1/jobs/" + id).json().path("state").asString("").equals("SUCCEEDED")
                && SPANS.stream()
                    .anyMatch(span ->
                        hex(span.getTraceId()).equals("e".repeat(32))
                            && span.getName().equals("run")));
    assertThat(SPANS)
        .extracting(span -> hex(span.getTraceId()))
        .doesNotContain("c".repeat(32), "d".repeat(32));
    assertThat(SPANS.toString()).doesNotContain(id);
  }
}
