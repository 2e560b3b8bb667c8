package dev.fairlead.front.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.metric.Metric;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FrontReadsTest {
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final AtomicLong nanos = new AtomicLong();
  private final MonotonicClock clock = nanos::get;
  private final FrontReads reads = new FrontReads(metrics);
  private final ClusterId front = new ClusterId(new UUID(0, 1));

  private double shown() {
    return metrics.get(Metric.FRONT_UNREAD.meter()).tag("cluster", "eu-1").gauge().value();
  }

  /** Fails when an unread front cluster appears as read, or a released cluster is still shown. */
  @Test
  void frontIsUnreadUntilItsJobsAreSeen() {
    reads.begins(front, () -> "eu-1", clock);
    nanos.set(Duration.ofMinutes(7).toNanos());
    reads.begins(front, () -> "eu-1", clock);
    assertThat(shown()).isEqualTo(420);

    reads.seen(front, clock);
    assertThat(shown()).isZero();

    reads.ends(front, clock);
    reads.seen(front, clock);
    assertThat(metrics.find(Metric.FRONT_UNREAD.meter()).gauges()).isEmpty();
  }
}
