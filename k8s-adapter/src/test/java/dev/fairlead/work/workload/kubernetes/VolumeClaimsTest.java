package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What the owner of a volume reads while its claim is not bound. */
class VolumeClaimsTest {
  /** Fails when an owner waits for a class that nobody makes, or reads so of one that is there. */
  @Test
  void aClassThatTheClusterDoesNotHaveIsSaid() {
    assertThat(VolumeClaims.unbound("fast", List.of("slow")))
        .startsWith("not bound: the cluster has no storage class fast");
    assertThat(VolumeClaims.unbound("fast", List.of("fast")))
        .isEqualTo("not bound yet, storage class fast");
    assertThat(VolumeClaims.unbound("fast", List.of())).as("not known").startsWith("not bound yet");
    assertThat(VolumeClaims.unbound(null, List.of("slow"))).startsWith("not bound yet");
  }
}
