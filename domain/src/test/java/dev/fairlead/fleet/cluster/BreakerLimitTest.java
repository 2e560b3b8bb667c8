package dev.fairlead.fleet.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BreakerLimitTest {
  /** Fails when a small cluster has no limit, or a large one trips for few objects. */
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
  void theLimitIsTwentyObjectsOrFivePercent(int missing, int known, boolean exceeded) {
    assertThat(BreakerLimit.exceeded(missing, known)).isEqualTo(exceeded);
  }
}
