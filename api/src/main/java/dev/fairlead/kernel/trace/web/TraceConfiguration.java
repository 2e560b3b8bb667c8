package dev.fairlead.kernel.trace.web;

import dev.fairlead.kernel.trace.JobSpan;
import dev.fairlead.kernel.trace.TraceExporter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Configures tracing. Without an address, no spans are created and no class of OpenTelemetry is
 * loaded.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(TraceSettings.class)
class TraceConfiguration {
  @Bean
  TraceExporter spans(TraceSettings settings, MeterRegistry metrics) {
    return settings.wanted() ? new ReceivedSpans(settings, metrics) : new NoSpans();
  }

  private static final class NoSpans implements TraceExporter {
    @Override
    public boolean on() {
      return false;
    }

    @Override
    public double ratio() {
      return 0;
    }

    @Override
    public void send(Collection<JobSpan> spans) {}
  }
}
