package dev.fairlead.verify.load.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuotaSharesTest {
  @Test
  void queuesWithoutASizeShareTheRemainder() {
    SortedMap<String, Double> weights =
        QuotaShares.weights(
            new TreeSet<>(List.of("a", "b", "c", "d")),
            new TreeMap<>(Map.of("a", 60, "b", 20)),
            100);
    assertThat(weights)
        .containsExactly(
            Map.entry("a", 60.0), Map.entry("b", 20.0), Map.entry("c", 10.0), Map.entry("d", 10.0));
  }

  @Test
  void sharesAreWholeAndSumToTheTotal() {
    SortedMap<String, Double> weights =
        new TreeMap<>(Map.of("a", 64.0, "b", 32.0, "c", 17.0, "d", 17.0));
    assertThat(QuotaShares.divide(16, weights))
        .containsExactly(
            Map.entry("a", 8), Map.entry("b", 4), Map.entry("c", 2), Map.entry("d", 2));
    for (int total = 0; total < 300; total++) {
      assertThat(
              QuotaShares.divide(total, weights).values().stream()
                  .mapToInt(Integer::intValue)
                  .sum())
          .isEqualTo(total);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1,1,1",
    "4,1,4",
    "8,1,8",
    "12,2,6",
    "16,2,8",
    "24,3,8",
    "128,16,8",
    "13,13,1",
    "18,3,6"
  })
  void aGangHasMembersOfTheLargestDivisor(int gpus, int members, int each) {
    assertThat(GangShape.of(gpus)).isEqualTo(new GangShape(members, each));
  }
}
