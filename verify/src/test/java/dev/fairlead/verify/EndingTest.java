package dev.fairlead.verify;

import static dev.fairlead.kernel.text.Texts.output;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class EndingTest {
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int code(Ending.Judged judged) {
    PrintStream text = new PrintStream(err, true, StandardCharsets.UTF_8);
    return Ending.code("bench", judged, text, text);
  }

  /** Fails when a benchmark has no exit code after an unexpected failure. */
  @Test
  void everyOutcomeHasAnExitCode() {
    assertThat(code(report -> report.require(true))).isZero();
    assertThat(code(report -> report.require(false))).isEqualTo(1);
    assertThat(
            code(report -> {
              throw new IllegalArgumentException("MINUTES: found x");
            }))
        .isEqualTo(2);
    assertThat(
            code(report -> {
              throw new UncheckedIOException("the service cannot be reached", new IOException());
            }))
        .isEqualTo(1);
    assertThat(text())
        .satisfies(output("ending.bench-service-cannot-reached"))
        .doesNotContain("\tat ");
    assertThat(
            code(report -> {
              throw new AssertionError("unforeseen");
            }))
        .isEqualTo(1);
    assertThat(text()).contains("bench: unforeseen", "\tat ");
  }

  /** Fails when a missing peer counts as a failure, or ends with a stack trace. */
  @Test
  void unavailablePackagesAreNotAFailure() {
    assertThat(
            code(report -> {
              throw new Packages.Unavailable("apt-get is missing");
            }))
        .isEqualTo(3);
    assertThat(text()).isEqualToIgnoringNewLines("bench: not run: apt-get is missing");
  }

  private String text() {
    return err.toString(StandardCharsets.UTF_8);
  }
}
