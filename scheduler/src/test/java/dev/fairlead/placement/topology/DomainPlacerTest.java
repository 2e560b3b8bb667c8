package dev.fairlead.placement.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class DomainPlacerTest {
  private static final int RACK = 0;
  private final DomainPlacer placer =
      new DomainPlacer(
          1,
          List.of(node("a1", "a", 3), node("a2", "a", 3), node("b1", "b", 4), node("b2", "b", 1)));

  @Test
  void theRackWithTheLeastRoomThatHoldsAllIsTaken() {
    assertThat(placer.place(wish(5, RACK, Wish.NOWHERE)))
        .contains(places(Map.of("b1", 4L, "b2", 1L)));
  }

  @Test
  void aRequiredRackIsNeverLeft() {
    assertThat(placer.place(wish(7, RACK, Wish.NOWHERE))).isEmpty();
  }

  @Test
  void aPreferredRackIsLeftOnlyWhenNoneHoldsAll() {
    assertThat(placer.place(wish(6, Wish.NOWHERE, RACK)))
        .contains(places(Map.of("a1", 3L, "a2", 3L)));
    assertThat(placer.place(wish(11, Wish.NOWHERE, RACK))).isPresent();
    assertThat(placer.place(wish(12, Wish.NOWHERE, RACK))).isEmpty();
  }

  @Test
  void aSliceIsNotDividedOverRacks() {
    Wish wish =
        new Wish(8, one(), Wish.NOWHERE, Wish.NOWHERE, List.of(new Wish.Slice(RACK, 4)), s -> true);
    assertThat(placer.place(wish).orElseThrow())
        .satisfies(places -> {
          assertThat(places.getOrDefault("a1", 0L) + places.getOrDefault("a2", 0L)).isEqualTo(4);
        });
  }

  @Test
  void aLeaderLeavesRoomForItsWorkersInTheSameRack() {
    Wish leader = new Wish(1, one(), RACK, Wish.NOWHERE, List.of(), s -> true);
    assertThat(placer.together(List.of(leader, wish(5, RACK, Wish.NOWHERE)))).isPresent();
    assertThat(placer.together(List.of(leader, wish(6, RACK, Wish.NOWHERE)))).isEmpty();
  }

  private static Wish wish(long count, int required, int preferred) {
    return new Wish(count, one(), required, preferred, List.of(), s -> true);
  }

  private static TreeMap<String, Long> one() {
    return places(Map.of("gpu", 1L));
  }

  private static TreeMap<String, Long> places(Map<String, Long> places) {
    return new TreeMap<>(places);
  }

  private static Spot node(String name, String rack, long gpus) {
    return new Spot(name, List.of(rack), Map.of("gpu", gpus));
  }
}
