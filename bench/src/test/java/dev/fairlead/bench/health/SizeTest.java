package dev.fairlead.bench.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SizeTest {
  @Test
  void withoutNumbersItIsALargeFleet() {
    assertThat(Size.of("", "", false).gpus()).isEqualTo(100_000);
    assertThat(Size.of("", "", false).events()).isEqualTo(10_000_000);
    assertThat(Size.of("", "5000", true).events()).isEqualTo(5_000);
  }

  /** Fails when the nodes of a small fleet are given devices that it does not have. */
  @Test
  void eachNodeOfTheClusterHasItsDevices() {
    assertThat(Size.of("800", "", true).nodes()).isEqualTo(100);
    assertThat(Size.of("", "", false).nodes()).isEqualTo(1_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "799", "1000001", "many"})
  void otherNumbersAreRefusedByName(String gpus) {
    assertThatThrownBy(() -> Size.of(gpus, "", false)).hasMessageContaining("GPUS is \"" + gpus);
  }
}
