package dev.fairlead.bench.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplayArgumentsTest {
  @Test
  void whatIsNotGivenHasADefault() {
    assertThat(ReplayArguments.parse("--jobs", "50", "--from", ""))
        .isEqualTo(new ReplayArguments("philly", 50, 0, 3600, Duration.ofSeconds(20)));
  }

  @ParameterizedTest
  @CsvSource({
    "--jobs, 0, '--jobs: expected at least 1, found 0'",
    "--jobs, many, '--jobs: expected a whole number, found \"many\"'",
    "--from, -1, '--from: expected at least 0, found -1'",
    "--speedup, 0.5, '--speedup: expected a whole number, found \"0.5\"'",
    "--max-run, 20, '--max-run: expected a duration such as 20s, found \"20\"'",
    "--trace, helios, '--trace: expected philly, found \"helios\"'"
  })
  void aBadArgumentIsNamed(String name, String value, String message) {
    assertThatThrownBy(() -> ReplayArguments.parse(name, value))
        .isInstanceOf(BadInput.class)
        .hasMessage(message);
  }

  @Test
  void anUnknownArgumentIsRefused() {
    assertThatThrownBy(() -> ReplayArguments.parse("--job", "5"))
        .isInstanceOf(BadInput.class)
        .hasMessageStartingWith("unknown argument --job");
    assertThatThrownBy(() -> ReplayArguments.parse("--jobs")).isInstanceOf(BadInput.class);
  }
}
