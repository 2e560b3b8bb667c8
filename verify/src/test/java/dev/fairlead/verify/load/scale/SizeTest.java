package dev.fairlead.verify.load.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.verify.Arguments;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SizeTest {
  private static Size size(String scale) {
    return Size.of(Arguments.of(List.of("scale"), "--scale", scale));
  }

  @Test
  void defaultScaleIsTheWholeWorld() {
    assertThat(size("")).isEqualTo(new Size(10_000, 60_000, 100_000, 200, Duration.ofMinutes(5)));
    assertThat(size("0.1")).isEqualTo(new Size(1_000, 6_000, 10_000, 20, Duration.ofSeconds(30)));
  }

  /** Fails when the initial jobs end together, or before all of them have started. */
  @Test
  void jobsOfTheBeginningEndEvenly() {
    Size size = size("0.1");
    List<Duration> runs = IntStream.range(0, size.running()).mapToObj(size::firstRun).toList();
    Duration half = size.filling().plus(Size.STAY.dividedBy(2));

    assertThat(runs).allMatch(run -> run.compareTo(size.filling()) >= 0);
    assertThat(runs.stream().distinct()).hasSize(size.running());
    assertThat(runs.stream().filter(run -> run.compareTo(half) < 0)).hasSize(size.running() / 2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2", "half"})
  void otherScalesAreRefusedByName(String scale) {
    assertThatThrownBy(() -> size(scale)).hasMessageContaining("\"" + scale + "\"");
  }
}
