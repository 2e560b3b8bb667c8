package dev.fairlead.verify.load.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.verify.load.soak.SoakPlan.Deed;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SoakPlanTest {
  @Test
  void everyMinuteHasAllKindsOfOperations() {
    List<Deed> minute =
        LongStream.range(0, 60).boxed().flatMap(s -> SoakPlan.second(s).stream()).toList();

    assertThat(count(minute, Deed.Single.class)).isEqualTo(240);
    assertThat(count(minute, Deed.Batch.class)).isEqualTo(30);
    assertThat(count(minute, Deed.Array.class)).isEqualTo(15);
    assertThat(count(minute, Deed.Failing.class)).isEqualTo(20);
    assertThat(count(minute, Deed.CancelledRunning.class)).isEqualTo(15);
    assertThat(count(minute, Deed.CancelledWaiting.class)).isEqualTo(12);
    assertThat(count(minute, Deed.Humble.class)).isEqualTo(10);
    assertThat(count(minute, Deed.Urgent.class)).isEqualTo(5);
  }

  /** Fails when the urgent job is submitted while a node is free: no job is then evicted. */
  @Test
  void urgentJobFindsBothNodesAllocated() {
    assertThat(SoakPlan.second(7)).contains(new Deed.Urgent());
    assertThat(SoakPlan.second(6)).contains(new Deed.Humble());
    assertThat(SoakPlan.second(0)).contains(new Deed.Humble());
    assertThat(SoakPlan.second(67)).isEqualTo(SoakPlan.second(7));
  }

  private static long count(List<Deed> deeds, Class<? extends Deed> kind) {
    return deeds.stream().filter(kind::isInstance).count();
  }
}
