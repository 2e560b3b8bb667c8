package dev.fairlead.care.health.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReleaseReasonTest {
  /** Fails when a release needs a body. */
  @Test
  void reasonIsOptionalAndReadFromTheQuery() {
    assertThat(ReleaseReason.of(null, null)).isEqualTo(ReleaseReason.NONE);
    assertThat(ReleaseReason.of("cooled", null)).isEqualTo("cooled");
  }
}
