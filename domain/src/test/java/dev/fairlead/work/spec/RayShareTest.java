package dev.fairlead.work.spec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.spec.RayShare.Span;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class RayShareTest {
  private static Span span(int from, int to) {
    return new Span(Instant.ofEpochSecond(from), Instant.ofEpochSecond(to));
  }

  private static Duration share(Span own, Span... others) {
    return RayShare.of(own, List.of(others));
  }

  @Test
  void singleDriverHasTheWholeTime() {
    assertThat(share(span(10, 70))).isEqualTo(Duration.ofSeconds(60));
    assertThat(share(span(10, 70), span(0, 10), span(70, 90))).isEqualTo(Duration.ofSeconds(60));
  }

  /** Fails when time is lost, counted twice, or divided by drivers that do not run in it. */
  @Test
  void theSharesOfAllDriversAddUpToTheTimeOfTheCluster() {
    Span one = span(0, 60);
    Span two = span(20, 60);
    Span three = span(30, 40);
    assertThat(share(one, two, three))
        .isEqualTo(Duration.ofMillis(20_000 + 5_000 + 3_333 + 10_000).plusNanos(333_333));
    Duration sum = share(one, two, three).plus(share(two, one, three)).plus(share(three, one, two));
    assertThat(sum.minusSeconds(60).abs()).isLessThan(Duration.ofNanos(10));
  }
}
