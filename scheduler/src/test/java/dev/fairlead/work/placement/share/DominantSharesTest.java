package dev.fairlead.work.placement.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.placement.QuotaWorld;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DominantSharesTest {
  private final QuotaWorld world =
      new QuotaWorld().queue("a", 4).queue("heavy", 4, 2000).queue("last", 2, 0);

  @Test
  void queueWithinItsQuotaHasNoShare() {
    assertThat(share("a", 4).isZero()).isTrue();
    assertThat(share("a", 4).borrowing()).isFalse();
  }

  @Test
  void borrowerShareIsItsBorrowingInThousandthsOfTheLendable() {
    assertThat(share("a", 6).permille()).isEqualTo(200);
    assertThat(share("a", 6).dominant()).isEqualTo("gpu");
  }

  @Test
  void twiceTheWeightIsHalfTheShare() {
    assertThat(share("heavy", 6).permille()).isEqualTo(100);
  }

  @Test
  void weightZeroIsAboveEveryFiniteShareOnceItBorrows() {
    assertThat(share("last", 2).isZero()).isTrue();
    assertThat(share("last", 3)).isGreaterThan(share("a", 10));
  }

  private Share share(String queue, long used) {
    return new DominantShares(world.build(Map.of(queue, used))).of(world.id(queue));
  }
}
