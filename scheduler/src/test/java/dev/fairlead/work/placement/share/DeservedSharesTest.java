package dev.fairlead.work.placement.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class DeservedSharesTest {
  @Test
  void quotasAreServedFirstAndTheRestByWeight() {
    assertThat(
            DeservedShares.divide(
                12, List.of(claim("a", null, 100, 4, 2, 12), claim("b", null, 100, 2, 1, 12))))
        .containsEntry("a", 8.0)
        .containsEntry("b", 4.0);
  }

  @Test
  void higherPriorityDividesBeforeTheLower() {
    assertThat(
            DeservedShares.divide(
                5, List.of(claim("high", null, 200, 0, 1, 4), claim("low", null, 100, 0, 9, 9))))
        .containsEntry("high", 4.0)
        .containsEntry("low", 1.0);
  }

  @Test
  void weightZeroGetsItsQuotaOnly() {
    assertThat(DeservedShares.divide(9, List.of(claim("a", null, 100, 3, 0, 9))))
        .containsEntry("a", 3.0);
  }

  @Test
  void indivisibleUnitGoesToTheOldest() {
    assertThat(
            DeservedShares.divide(
                1, List.of(claim("a", null, 100, 0, 1, 1), claim("b", null, 100, 0, 1, 1))))
        .containsEntry("a", 1.0)
        .containsEntry("b", 0.0);
  }

  @Test
  void childrenDivideTheShareOfTheirParent() {
    assertThat(
            DeservedShares.divide(
                8,
                List.of(claim("team", null, 100, 0, 1, 8), claim("child", "team", 100, 2, 1, 20))))
        .containsEntry("child", 8.0);
  }

  private static Claim claim(
      String name, String parent, int priority, double quota, double weight, double request) {
    return new Claim(
        name, parent, name.charAt(0), priority, quota, Claim.UNLIMITED, weight, request);
  }
}
