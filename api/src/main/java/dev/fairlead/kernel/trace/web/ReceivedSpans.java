package dev.fairlead.kernel.trace.web;

import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.trace.JobSpan;
import dev.fairlead.kernel.trace.TraceContext;
import dev.fairlead.kernel.trace.TraceExporter;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.IdGenerator;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends spans by OTLP, to Zipkin, or both, in batches and from its own thread. If a receiver is
 * slow or unreachable, a bounded number of spans waits and later spans are dropped.
 */
final class ReceivedSpans implements TraceExporter, AutoCloseable {
  private static final String SERVICE = "fairlead";
  private static final int MOST_WAITING = 16_384;
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration LONGEST_SEND = Duration.ofSeconds(5);
  private static final Duration LONGEST_END = Duration.ofSeconds(3);
  private static final int LONGEST_VALUE = 256;

  private final double ratio;
  private final MeterRegistry metrics;
  private final StoredIds ids = new StoredIds();
  private final SdkTracerProvider provider;
  private final Tracer tracer;

  ReceivedSpans(TraceSettings settings, MeterRegistry metrics) {
    this(settings.ratio(), receivers(settings), metrics);
  }

  ReceivedSpans(double ratio, SpanExporter receivers, MeterRegistry metrics) {
    this.ratio = ratio;
    this.metrics = metrics;
    this.provider =
        SdkTracerProvider.builder()
            .setResource(Resource.builder().put("service.name", SERVICE).build())
            .setIdGenerator(ids)
            .setSampler(Sampler.alwaysOn())
            .setSpanLimits(SpanLimits.builder().setMaxAttributeValueLength(LONGEST_VALUE).build())
            .addSpanProcessor(
                BatchSpanProcessor.builder(new Counted(receivers))
                    .setMaxQueueSize(MOST_WAITING)
                    .setScheduleDelay(EVERY)
                    .setExporterTimeout(LONGEST_SEND)
                    .build())
            .build();
    this.tracer = provider.get("dev.fairlead");
  }

  private static SpanExporter receivers(TraceSettings settings) {
    List<SpanExporter> receivers = new ArrayList<>();
    if (!settings.endpoint().isEmpty()) {
      receivers.add(
          OtlpHttpSpanExporter.builder()
              .setEndpoint(settings.endpoint())
              .setTimeout(LONGEST_SEND)
              .setCompression("gzip")
              .setRetryPolicy(null)
              .build());
    }
    if (!settings.zipkin().isEmpty()) {
      receivers.add(new ZipkinSpans(URI.create(settings.zipkin()), SERVICE, LONGEST_SEND));
    }
    return SpanExporter.composite(receivers);
  }

  @Override
  public boolean on() {
    return true;
  }

  @Override
  public double ratio() {
    return ratio;
  }

  @Override
  public void send(Collection<JobSpan> spans) {
    spans.forEach(this::send);
    count("made", spans.size());
  }

  private void send(JobSpan span) {
    TraceContext context = span.context();
    SpanBuilder builder =
        tracer
            .spanBuilder(span.name())
            .setSpanKind(span.server() ? SpanKind.SERVER : SpanKind.INTERNAL)
            .setStartTimestamp(span.start())
            .setParent(above(context, span.parent()));
    span.attributes()
        .forEach((name, value) -> builder.setAttribute(AttributeKey.stringKey(name), value));
    Span made = ids.with(context, builder);
    if (span.failure() != null) {
      made.setStatus(StatusCode.ERROR, span.failure());
    }
    made.end(span.end());
  }

  private static Context above(TraceContext context, @Nullable String parent) {
    return parent == null
        ? Context.root()
        : Context.root()
            .with(
                Span.wrap(
                    SpanContext.createFromRemoteParent(
                        context.trace(),
                        parent,
                        TraceFlags.getSampled(),
                        TraceState.getDefault())));
  }

  private void count(String outcome, int spans) {
    metrics.counter(Metric.SPANS.meter(), Metric.SPANS.tags(outcome)).increment(spans);
  }

  /** Sends the waiting spans first, if the receiver accepts them in time. */
  @Override
  public void close() {
    provider.shutdown().join(LONGEST_END.toSeconds(), TimeUnit.SECONDS);
  }

  /** Ids are chosen when the span is created. */
  private static final class StoredIds implements IdGenerator {
    private static final ThreadLocal<TraceContext> NEXT = new ThreadLocal<>();

    Span with(TraceContext context, SpanBuilder builder) {
      NEXT.set(context);
      try {
        return builder.startSpan();
      } finally {
        NEXT.remove();
      }
    }

    @Override
    public String generateSpanId() {
      return NEXT.get().span();
    }

    @Override
    public String generateTraceId() {
      return NEXT.get().trace();
    }
  }

  /** Counts the spans that every receiver accepted. */
  private final class Counted implements SpanExporter {
    private final SpanExporter exporter;

    Counted(SpanExporter exporter) {
      this.exporter = exporter;
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      CompletableResultCode result = exported(spans);
      result.whenComplete(() -> count(result.isSuccess() ? "sent" : "failed", spans.size()));
      return result;
    }

    private CompletableResultCode exported(Collection<SpanData> spans) {
      try {
        return exporter.export(spans);
      } catch (RuntimeException notSent) {
        return CompletableResultCode.ofExceptionalFailure(notSent);
      }
    }

    @Override
    public CompletableResultCode flush() {
      return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
      return exporter.shutdown();
    }
  }
}
