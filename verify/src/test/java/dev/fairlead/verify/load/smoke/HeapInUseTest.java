package dev.fairlead.verify.load.smoke;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class HeapInUseTest {
  @Test
  void theHeapOfG1IsRead() {
    String g1 =
        """
        4242:
         garbage-first heap   total reserved 6291456K, committed 393216K, used 100000K [0x1, 0x2)
          region size 4096K, 10 young (40960K), 1 survivors (4096K)
         Metaspace       used 90000K, committed 91000K, reserved 1114112K
          class space    used 10000K, committed 10500K, reserved 1048576K
        """;
    assertThat(HeapInUse.parse(g1)).isEqualTo(102.4, within(0.001));
  }

  @Test
  void generationsOfASerialHeapAreSummed() {
    String serial =
        """
         def new generation   total 78656K, used 1000K [0x1, 0x2, 0x3)
          eden space 69952K,   2% used [0x1, 0x2, 0x3)
          from space 8704K,   0% used [0x1, 0x2, 0x3)
         tenured generation   total 174784K, used 9000K [0x1, 0x2, 0x3)
           the space 174784K,   5% used [0x1, 0x2, 0x3)
         Metaspace       used 5000K, committed 6000K, reserved 1114112K
        """;
    assertThat(HeapInUse.parse(serial)).isEqualTo(10.24, within(0.001));
  }

  @Test
  void responseWithoutAFigureIsNoZero() {
    assertThatThrownBy(() -> HeapInUse.parse("no such process"))
        .isInstanceOf(IllegalStateException.class);
  }
}
