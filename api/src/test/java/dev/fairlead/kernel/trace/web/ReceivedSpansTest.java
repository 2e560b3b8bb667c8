package dev.fairlead.kernel.trace.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.trace.JobSpan;
import dev.fairlead.kernel.trace.TraceContext;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReceivedSpansTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Fails when an address is accepted with which each send would fail or reach another host. */
  @ParameterizedTest
  @CsvSource({
    "http://zip_kin:9411/api/v2/spans, \"zip_kin:9411\" must be a host and a port",
    "http://zipkin:x/api/v2/spans, \"zipkin:x\" must be a host and a port",
    "http://zipkin:70000/api/v2/spans, \"zipkin:70000\" must be a host and a port",
    "http://:9411/api/v2/spans, \":9411\" must be a host and a port",
    "http://zipkin:9411/a|b, Illegal character in path at character 21 of the address",
    "http://user:secret@zipkin:9411/api, a user and a password would not be sent",
    "http://user:secret@zip_kin:9411/api, a user and a password would not be sent"
  })
  void unusableAddressIsRejectedWithItsSetting(String address, String why) {
    assertThatThrownBy(() -> new TraceSettings("", address, 1))
        .hasMessageStartingWith("fairlead.traces.zipkin: " + why)
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> new TraceSettings(address, "", 1))
        .hasMessageStartingWith("fairlead.traces.endpoint: " + why);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://zipkin:9411/api/v2/spans",
        "https://otel-collector.monitoring.svc/v1/traces?x=%20y",
        "http://[::1]:4318/v1/traces",
        "http://10.0.0.7:4318"
      })
  void hostAddressIsAccepted(String address) {
    assertThat(new TraceSettings(address, address, 1).wanted()).isTrue();
  }

  /** Fails when the time of a send ends with the headers, or its connection stays. */
  @Test
  void receiverThatStallsAfterItsHeadersTimesOut() throws IOException {
    CountDownLatch hungUp = new CountDownLatch(1);
    try (ServerSocket receiver = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> stall(receiver, hungUp));
      URI address = URI.create("http://127.0.0.1:" + receiver.getLocalPort() + "/api/v2/spans");
      ZipkinSpans spans = new ZipkinSpans(address, "fairlead", Duration.ofSeconds(1));
      // A send that ends before it has reached the receiver is repeated.
      await()
          .dontCatchUncaughtExceptions()
          .atMost(PATIENCE)
          .until(() -> {
            CompletableResultCode result = spans.export(List.of());
            assertThat(result.join(PATIENCE.toSeconds(), TimeUnit.SECONDS).isDone()).isTrue();
            assertThat(result.isSuccess()).isFalse();
            return hungUp.getCount() == 0;
          });
    }
  }

  private static void stall(ServerSocket receiver, CountDownLatch hungUp) {
    while (!receiver.isClosed()) {
      try (Socket connection = receiver.accept()) {
        InputStream request = connection.getInputStream();
        int read = request.read();
        while (read != ']' && read != -1) {
          read = request.read();
        }
        connection
            .getOutputStream()
            .write(
                "HTTP/1.1 202 Accepted\r\nContent-Length: 9\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
        if (read == ']' && request.read() == -1) {
          hungUp.countDown();
        }
      } catch (IOException reset) {
        // the next connection, if any
      }
    }
  }

  /** Fails when an unsendable span is counted neither as sent nor as failed. */
  @Test
  void spansOfAnExporterThatThrowsAreCountedAsFailed() {
    SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    try (ReceivedSpans spans = new ReceivedSpans(1, new Throwing(), metrics)) {
      TraceContext context = new TraceContext("a".repeat(32), "b".repeat(16), true);
      Instant at = Instant.EPOCH;
      spans.send(List.of(new JobSpan(context, null, "job", false, at, at, new TreeMap<>(), null)));

      await()
          .atMost(PATIENCE)
          .until(() ->
              metrics.counter(Metric.SPANS.meter(), Metric.SPANS.tags("failed")).count() == 1);
    }
  }

  private static final class Throwing implements SpanExporter {
    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      throw new IllegalArgumentException("of a test");
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }
}
