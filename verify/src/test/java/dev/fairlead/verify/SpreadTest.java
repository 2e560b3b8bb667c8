package dev.fairlead.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {
  /** Fails when the mean or the last run is used instead of the median. */
  @Test
  void aFigureIsTheMedianWithTheLeastAndTheMost() {
    assertThat(Spread.of(List.of(90.0, 82.0, 84.0), run -> run).text(1))
        .isEqualTo("84.0 (82.0-90.0)");
  }

  @Test
  void singleRunHasNoSpread() {
    assertThat(Spread.of(List.of(5.0), run -> run).text(0)).isEqualTo("5");
  }
}
