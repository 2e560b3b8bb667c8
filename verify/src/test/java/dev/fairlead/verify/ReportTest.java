package dev.fairlead.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final Report report = new Report(new PrintStream(out, true, StandardCharsets.UTF_8));

  private record Run(int jobs, Percentiles took) {}

  /** Fails when a later passing figure hides an earlier failing figure. */
  @Test
  void missedFigureFailsTheGoals() {
    report.figure(Figure.atMost("wait", 2, "s", 1));
    report.figure(Figure.atLeast("rate", 2, "1/s", 1));

    assertThat(report.met()).isFalse();
    assertThat(out.toString(StandardCharsets.UTF_8).lines())
        .satisfiesExactly(
            missed -> assertThat(missed).contains("MISSED"),
            held -> assertThat(held).doesNotContain("MISSED"));
  }

  @Test
  void aRunIsOneLineOfJson() {
    List<Duration> took = List.of(Duration.ofMillis(100), Duration.ofMillis(500));

    report.json("submit", new Run(2, new Percentiles(took)));

    assertThat(out.toString(StandardCharsets.UTF_8).strip())
        .isEqualTo(
            "{\"program\":\"submit\",\"jobs\":2,\"took\":{\"p50\":0.1,\"p95\":0.5,\"p99\":0.5}}");
  }
}
