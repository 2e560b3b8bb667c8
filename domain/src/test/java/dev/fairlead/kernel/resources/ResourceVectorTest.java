package dev.fairlead.kernel.resources;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ResourceVectorTest {
  private static final String NIC = "rdma/hca";

  @Test
  void amountsAddAndSubtractByName() {
    ResourceVector a = with(ResourceVector.of(1000, 2048, 500, 1), NIC, 2);
    ResourceVector b = ResourceVector.of(500, 48, 1000, 1);

    assertThat(a.plus(b)).isEqualTo(with(ResourceVector.of(1500, 2096, 1500, 2), NIC, 2));
    assertThat(a.minus(b)).isEqualTo(with(ResourceVector.of(500, 2000, -500, 0), NIC, 2));
    assertThat(b.minus(a).amount(NIC)).isEqualTo(-2);
  }

  @Test
  void additionSaturates() {
    ResourceVector most = ResourceVector.of(Long.MAX_VALUE - 1, 0, 0, 0);

    assertThat(most.plus(most).cpuMilli()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void timesMultipliesEveryResource() {
    assertThat(with(ResourceVector.of(1, 2, 3, 4), NIC, 5).times(3))
        .isEqualTo(with(ResourceVector.of(3, 6, 9, 12), NIC, 15));
  }

  @Test
  void vectorFitsOnlyIfEveryAmountFits() {
    ResourceVector room = with(ResourceVector.of(1000, 1000, 1000, 10), NIC, 1);

    assertThat(room.fitsIn(room)).isTrue();
    assertThat(ResourceVector.of(1001, 0, 0, 0).fitsIn(room)).isFalse();
    assertThat(ResourceVector.of(0, 1001, 0, 0).fitsIn(room)).isFalse();
    assertThat(ResourceVector.of(0, 0, 1001, 0).fitsIn(room)).isFalse();
    assertThat(ResourceVector.of(0, 0, 0, 11).fitsIn(room)).isFalse();
    assertThat(with(ResourceVector.ZERO, NIC, 2).fitsIn(room)).isFalse();
    assertThat(with(ResourceVector.ZERO, "other/device", 1).fitsIn(room)).isFalse();
  }

  @Test
  void amountIsFoundByItsName() {
    ResourceVector v = with(ResourceVector.of(1, 2, 3, 4), NIC, 5);

    assertThat(v.names()).containsExactly("cpu", "gpu", "memory", "pods", NIC);
    assertThat(v.names().stream().map(v::amount)).containsExactly(1L, 3L, 2L, 4L, 5L);
    assertThat(v.amount("unknown")).isZero();
  }

  private static ResourceVector with(ResourceVector v, String name, long amount) {
    SortedMap<String, Long> extended = new TreeMap<>();
    extended.put(name, amount);
    return new ResourceVector(v.cpuMilli(), v.memoryMiB(), v.gpuMilli(), v.pods(), extended);
  }
}
