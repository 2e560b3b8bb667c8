package dev.fairlead.front;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FrontBreakerTest {
  /** Fails when a small front never stops, or a large one stops for few Jobs. */
  @ParameterizedTest
  @CsvSource({
    "20, 20, false",
    "21, 21, true",
    "20, 400, false",
    "21, 400, true",
    "50, 1000, false",
    "51, 1000, true",
    "3000, 60000, false",
    "3001, 60000, true"
  })
  void aBreakerOpensAboveTwentyJobsAndAboveFivePercent(int missing, int taken, boolean opens) {
    assertThat(FrontBreaker.opens(missing, taken)).isEqualTo(opens);
  }
}
