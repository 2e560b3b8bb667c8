package dev.fairlead.care.health.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.problem.Refusal;
import org.junit.jupiter.api.Test;

class ReleaseReasonTest {
  /** Fails when a release needs a body. */
  @Test
  void aReasonMayBeInTheQueryOrLeftOut() {
    assertThat(ReleaseReason.of(null, null)).isEqualTo(ReleaseReason.NONE);
    assertThat(ReleaseReason.of("cooled", null)).isEqualTo("cooled");
    assertThatThrownBy(() -> ReleaseReason.of(" ", null)).isInstanceOf(Refusal.class);
    assertThatThrownBy(() -> ReleaseReason.of("x".repeat(501), null)).isInstanceOf(Refusal.class);
  }
}
