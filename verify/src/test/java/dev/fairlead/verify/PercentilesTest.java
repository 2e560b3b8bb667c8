package dev.fairlead.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PercentilesTest {
  @Test
  void areTheNearestRank() {
    Percentiles hundred =
        new Percentiles(LongStream.rangeClosed(1, 100).mapToObj(Duration::ofMillis).toList());
    assertThat(hundred.at(50)).isEqualTo(Duration.ofMillis(50));
    assertThat(hundred.at(99)).isEqualTo(Duration.ofMillis(99));
    assertThat(hundred.at(100)).isEqualTo(Duration.ofMillis(100));
    assertThat(hundred.at(0.1)).isEqualTo(Duration.ofMillis(1));
  }

  @Test
  void ofFewValuesAreAmongThem() {
    Percentiles three =
        new Percentiles(
            List.of(Duration.ofSeconds(3), Duration.ofSeconds(1), Duration.ofSeconds(2)));
    assertThat(three.at(50)).isEqualTo(Duration.ofSeconds(2));
    assertThat(three.at(90)).isEqualTo(Duration.ofSeconds(3));
    assertThat(new Percentiles(List.of()).at(50)).isZero();
  }

  @Test
  void refuseAnInvalidPercentage() {
    assertThatThrownBy(() -> new Percentiles(List.of()).at(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Percentiles(List.of()).at(101))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
