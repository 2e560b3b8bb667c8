package dev.fairlead.placement.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.placement.QuotaWorld;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FlavorChoiceTest {
  private final QuotaWorld world = new QuotaWorld().queue("a", 4).queue("b", 4);

  @Test
  void withinQuotaNothingIsBorrowed() {
    assertThat(standing(4, Map.of())).isEqualTo(new Standing(Fit.FITS, 0));
  }

  @Test
  void whatOnlyTheParentHoldsIsBorrowedOneLevelUp() {
    assertThat(standing(6, Map.of())).isEqualTo(new Standing(Fit.FITS, 1));
  }

  @Test
  void whatOthersBorrowedIsAskedBack() {
    assertThat(standing(4, Map.of("b", 6L))).isEqualTo(new Standing(Fit.RECLAIM, 0));
  }

  @Test
  void moreThanTheTreeOwnsNeverFits() {
    assertThat(standing(9, Map.of()).fit()).isEqualTo(Fit.DOES_NOT_FIT);
  }

  @Test
  void borrowingLessBeatsEvictingNobodyOnlyWhereTheQueueSaysSo() {
    Standing evicts = new Standing(Fit.PREEMPTION, 0);
    Standing borrows = new Standing(Fit.FITS, 1);
    assertThat(evicts.betterThan(borrows, true)).isTrue();
    assertThat(evicts.betterThan(borrows, false)).isFalse();
  }

  private Standing standing(long asked, Map<String, Long> used) {
    FlavorSearch search = new FlavorSearch(true, false, false, false);
    return new FlavorChoice(
            world.build(used),
            world.id("a"),
            search,
            (cell, amount) -> new Standing(Fit.RECLAIM, 0))
        .pick(
            List.of(QuotaWorld.FLAVOR),
            new TreeMap<>(Map.of(QuotaWorld.GPUS.resource(), asked)),
            Map.of())
        .standing();
  }
}
