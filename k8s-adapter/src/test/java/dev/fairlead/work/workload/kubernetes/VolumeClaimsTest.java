package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages to the owner of a volume while its claim is unbound. */
class VolumeClaimsTest {
  /**
   * Fails when an owner waits for a storage class that will never exist, or an existing class is
   * reported as missing.
   */
  @Test
  void missingStorageClassIsReported() {
    assertThat(VolumeClaims.unbound("fast", List.of("slow")))
        .satisfies(reason("volume-claims.bound-cluster-storage-class"));
    assertThat(VolumeClaims.unbound("fast", List.of("fast")))
        .satisfies(reason("volume-claims.bound-yet-storage-class"));
    assertThat(VolumeClaims.unbound("fast", List.of())).as("not known").startsWith("not bound yet");
    assertThat(VolumeClaims.unbound(null, List.of("slow"))).startsWith("not bound yet");
  }
}
