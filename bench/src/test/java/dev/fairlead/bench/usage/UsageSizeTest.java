package dev.fairlead.bench.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UsageSizeTest {
  @Test
  void withoutNumbersItIsALargeFleet() {
    UsageSize usual = UsageSize.of("", "", false);
    assertThat(usual.gpus()).isEqualTo(100_000);
    assertThat(usual.intervals()).isEqualTo(10_000_000);
  }

  /** Fails when a small fleet gets the intervals of a large one. */
  @Test
  void aNodeHasAsManyTurnsInFleetsOfAnySize() {
    assertThat(UsageSize.of("", "", false).turns()).isEqualTo(800);
    assertThat(UsageSize.of("", "", true).turns()).isEqualTo(800);
    assertThat(UsageSize.of("1600", "", true).turns()).isEqualTo(800);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "799", "200001", "many"})
  void otherNumbersAreRefusedByName(String gpus) {
    assertThatThrownBy(() -> UsageSize.of(gpus, "", false))
        .hasMessageContaining("GPUS is \"" + gpus);
  }
}
