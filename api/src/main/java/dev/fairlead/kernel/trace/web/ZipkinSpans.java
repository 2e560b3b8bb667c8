package dev.fairlead.kernel.trace.web;

import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends spans to Zipkin by <a href="https://zipkin.io/zipkin-api/#/default/post_spans">POST
 * /api/v2/spans</a>. A rejected batch is not sent again.
 */
final class ZipkinSpans implements SpanExporter {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int SUCCESS = 2;
  private static final int CLASS_OF_STATUS = 100;

  private final HttpRequest.Builder request;
  private final String service;
  private final Duration longest;
  private final HttpClient http;

  /**
   * @param longest maximum time from the request to the end of its response
   */
  ZipkinSpans(URI address, String service, Duration longest) {
    this.request = HttpRequest.newBuilder(address).header("Content-Type", "application/json");
    this.service = service;
    this.longest = longest;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(longest)
            .build();
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    ArrayNode body = JSON.createArrayNode();
    spans.forEach(span -> body.add(json(span)));
    CompletableFuture<HttpResponse<Void>> exchange =
        http.sendAsync(
            request
                .copy()
                .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body)))
                .build(),
            HttpResponse.BodyHandlers.discarding());
    CompletableResultCode result = new CompletableResultCode();
    var _ =
        exchange // a timeout of the request would end with the headers of the response
            .copy()
            .orTimeout(longest.toMillis(), TimeUnit.MILLISECONDS)
            .whenComplete((answer, failure) -> {
              exchange.cancel(true);
              end(result, answer);
            });
    return result;
  }

  private static void end(CompletableResultCode result, @Nullable HttpResponse<Void> answer) {
    if (answer != null && answer.statusCode() / CLASS_OF_STATUS == SUCCESS) {
      result.succeed();
    } else {
      result.fail();
    }
  }

  private ObjectNode json(SpanData span) {
    ObjectNode json = JSON.createObjectNode();
    json.put("traceId", span.getTraceId()).put("id", span.getSpanId()).put("name", span.getName());
    if (span.getParentSpanContext().isValid()) {
      json.put("parentId", span.getParentSpanId());
    }
    if (span.getKind() == SpanKind.SERVER) {
      json.put("kind", "SERVER");
    }
    long start = TimeUnit.NANOSECONDS.toMicros(span.getStartEpochNanos());
    long end = TimeUnit.NANOSECONDS.toMicros(span.getEndEpochNanos());
    json.put("timestamp", start);
    json.put("duration", Math.max(1, end - start)); // Zipkin treats 0 as unknown
    json.putObject("localEndpoint").put("serviceName", service);
    ObjectNode tags = json.putObject("tags");
    span.getAttributes().forEach((key, value) -> tags.put(key.getKey(), value.toString()));
    if (span.getStatus().getStatusCode() == StatusCode.ERROR) {
      tags.put("error", span.getStatus().getDescription());
    }
    return json;
  }

  @Override
  public CompletableResultCode flush() {
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode shutdown() {
    http.shutdown();
    return CompletableResultCode.ofSuccess();
  }
}
