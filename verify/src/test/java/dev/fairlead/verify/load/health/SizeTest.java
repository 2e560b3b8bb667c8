package dev.fairlead.verify.load.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.verify.Arguments;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SizeTest {
  private static Size size(String gpus, String events, String... quick) {
    String[] args = {"--gpus", gpus, "--events", events};
    List<String> all = Stream.of(args, quick).flatMap(Stream::of).toList();
    return Size.of(Arguments.of(List.of("gpus", "events", "quick"), all.toArray(String[]::new)));
  }

  @Test
  void defaultSizeIsALargeFleet() {
    assertThat(size("", "").gpus()).isEqualTo(100_000);
    assertThat(size("", "").events()).isEqualTo(10_000_000);
    assertThat(size("", "5000", "--quick").events()).isEqualTo(5_000);
  }

  /** Fails when the nodes of a small fleet are given devices that it does not have. */
  @Test
  void eachNodeOfTheClusterHasItsDevices() {
    assertThat(size("800", "", "--quick").nodes()).isEqualTo(100);
    assertThat(size("", "").nodes()).isEqualTo(1_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "799", "1000001", "many"})
  void otherNumbersAreRefusedByName(String gpus) {
    assertThatThrownBy(() -> size(gpus, "")).hasMessageContaining("found \"" + gpus);
  }
}
