package dev.fairlead.kernel.resources;

import static dev.fairlead.kernel.resources.Saturating.UNLIMITED;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SaturatingTest {
  @Test
  void unlimitedStaysUnlimited() {
    assertThat(Saturating.plus(UNLIMITED, -5)).isEqualTo(UNLIMITED);
    assertThat(Saturating.plus(-5, UNLIMITED)).isEqualTo(UNLIMITED);
    assertThat(Saturating.minus(UNLIMITED, 5)).isEqualTo(UNLIMITED);
    assertThat(Saturating.minus(UNLIMITED, UNLIMITED)).isEqualTo(UNLIMITED);
    assertThat(Saturating.minus(5, UNLIMITED)).isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void nothingWrapsAround() {
    assertThat(Saturating.plus(Long.MAX_VALUE - 1, 2)).isEqualTo(UNLIMITED);
    assertThat(Saturating.plus(Long.MIN_VALUE, -1)).isEqualTo(Long.MIN_VALUE);
    assertThat(Saturating.minus(Long.MIN_VALUE, 1)).isEqualTo(Long.MIN_VALUE);
    assertThat(Saturating.minus(1, Long.MIN_VALUE)).isEqualTo(UNLIMITED);
    assertThat(Saturating.times(Long.MAX_VALUE / 2 + 1, 2)).isEqualTo(UNLIMITED);
    assertThat(Saturating.times(Long.MIN_VALUE / 2 - 1, 2)).isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void smallNumbersAreExact() {
    assertThat(Saturating.plus(2, -3)).isEqualTo(-1);
    assertThat(Saturating.minus(2, 3)).isEqualTo(-1);
    assertThat(Saturating.times(-7, 3)).isEqualTo(-21);
    assertThat(Saturating.times(Long.MAX_VALUE, 0)).isZero();
  }
}
