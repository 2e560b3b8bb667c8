package dev.fairlead.verify.load.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.verify.Arguments;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UsageSizeTest {
  private static UsageSize size(String gpus, String intervals, String... quick) {
    String[] args = {"--gpus", gpus, "--intervals", intervals};
    List<String> all = Stream.of(args, quick).flatMap(Stream::of).toList();
    return UsageSize.of(
        Arguments.of(List.of("gpus", "intervals", "quick"), all.toArray(String[]::new)));
  }

  @Test
  void defaultSizeIsALargeFleet() {
    UsageSize usual = size("", "");
    assertThat(usual.gpus()).isEqualTo(100_000);
    assertThat(usual.intervals()).isEqualTo(10_000_000);
  }

  /** Fails when a small fleet gets the intervals of a large one. */
  @Test
  void intervalsPerNodeAreIndependentOfTheFleetSize() {
    assertThat(size("", "").turns()).isEqualTo(800);
    assertThat(size("", "", "--quick").turns()).isEqualTo(800);
    assertThat(size("1600", "", "--quick").turns()).isEqualTo(800);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "799", "200001", "many"})
  void otherNumbersAreRefusedByName(String gpus) {
    assertThatThrownBy(() -> size(gpus, "")).hasMessageContaining("found \"" + gpus);
  }
}
