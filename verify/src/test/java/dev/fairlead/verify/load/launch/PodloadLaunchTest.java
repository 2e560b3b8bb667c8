package dev.fairlead.verify.load.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PodloadLaunchTest {
  /* Fails when minutes are ignored: a slow contender would look like the fastest. */
  @Test
  void durationsOfAMinuteAndMoreAreParsed() {
    assertThat(PodloadLaunch.seconds("13.512s")).isEqualTo(13.512);
    assertThat(PodloadLaunch.seconds("2m2.5s")).isEqualTo(122.5);
  }

  @Test
  void otherOutputIsRejected() {
    assertThatThrownBy(() -> PodloadLaunch.seconds("850ms")).hasMessageContaining("850ms");
  }
}
