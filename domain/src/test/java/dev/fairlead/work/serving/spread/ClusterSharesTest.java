package dev.fairlead.work.serving.spread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Shares of the traffic of a service by cluster. */
class ClusterSharesTest {
  private static SortedMap<String, Integer> shares(
      Map<Integer, Integer> weights, Map<Integer, Map<String, Integer>> ready) {
    SortedMap<Integer, SortedMap<String, Integer>> sorted = new TreeMap<>();
    ready.forEach((version, places) -> sorted.put(version, new TreeMap<>(places)));
    return ClusterShares.of(new TreeMap<>(weights), sorted);
  }

  @Test
  void eachReadyReplicaGetsTheSamePartOfItsVersion() {
    assertThat(shares(Map.of(1, 100), Map.of(1, Map.of("eu", 3, "us", 1))))
        .isEqualTo(Map.of("eu", 75, "us", 25));
    assertThat(
            shares(Map.of(1, 80, 2, 20), Map.of(1, Map.of("eu", 2, "us", 2), 2, Map.of("us", 1))))
        .isEqualTo(Map.of("eu", 40, "us", 60));
  }

  /** Fails when a version without a ready replica takes its weight from the sum. */
  @Test
  void weightOfAVersionWithoutReadyReplicasIsDividedAmongTheOthers() {
    assertThat(shares(Map.of(1, 50, 2, 50), Map.of(1, Map.of("eu", 1, "us", 1))))
        .isEqualTo(Map.of("eu", 50, "us", 50));
    assertThat(shares(Map.of(1, 100), Map.of(2, Map.of("eu", 1)))).isEmpty();
    assertThat(shares(Map.of(), Map.of(1, Map.of("eu", 1)))).isEmpty();
  }

  /** Fails when rounding loses or adds a percent, or a cluster without replicas has a share. */
  @Test
  void sharesAddUpToAHundredWithAnyNumbers() {
    Random random = new Random(11);
    for (int i = 0; i < 2_000; i++) {
      int canary = random.nextInt(101);
      Map<Integer, Map<String, Integer>> ready = new TreeMap<>();
      for (int version = 1; version <= 2; version++) {
        Map<String, Integer> places = new TreeMap<>();
        for (int cluster = 0; cluster <= random.nextInt(7); cluster++) {
          places.put("c" + random.nextInt(9), 1 + random.nextInt(40));
        }
        ready.put(version, places);
      }
      SortedMap<String, Integer> shares = shares(Map.of(1, 100 - canary, 2, canary), ready);
      assertThat(shares.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(100);
      assertThat(shares.values()).allMatch(share -> share >= 0);
      assertThat(shares.keySet())
          .allMatch(c -> ready.get(1).containsKey(c) || ready.get(2).containsKey(c));
    }
  }
}
