package dev.fairlead.kernel.resources;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
  @ParameterizedTest
  @CsvSource({
    "90s, PT90S",
    "30m, PT30M",
    "48h, PT48H",
    "7d, PT168H",
    "500ms, PT0.5S",
    "0s, PT0S",
    "3650d, PT87600H"
  })
  void aDurationIsANumberAndAUnit(String text, Duration duration) {
    assertThat(DurationText.parse(text)).contains(duration);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "90",
        "s",
        "1.5h",
        "-1s",
        "1h30m",
        "1 h",
        "1w",
        "1H",
        "3651d",
        "9999999999s",
        "PT1H"
      })
  void otherTextIsNotADuration(String text) {
    assertThat(DurationText.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"5400, 90m", "7200, 2h", "172800, 2d", "61, 61s", "60, 1m", "0, 0s"})
  void theLargestWholeUnitIsWritten(long seconds, String text) {
    assertThat(DurationText.of(Duration.ofSeconds(seconds))).isEqualTo(text);
    assertThat(DurationText.parse(text)).contains(Duration.ofSeconds(seconds));
  }

  @Test
  void partsOfASecondAreMilliseconds() {
    assertThat(DurationText.of(Duration.ofMillis(1500))).isEqualTo("1500ms");
  }
}
