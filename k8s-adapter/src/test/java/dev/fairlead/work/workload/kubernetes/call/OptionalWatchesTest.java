package dev.fairlead.work.workload.kubernetes.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OptionalWatchesTest {
  private final AtomicLong now = new AtomicLong();
  private final OptionalWatches watches = new OptionalWatches(now::get);

  private static KubernetesClientException answer(int code) {
    return new KubernetesClientException("resourceslices.resource.k8s.io", code, null);
  }

  private void seconds(long more) {
    now.addAndGet(Duration.ofSeconds(more).toNanos());
  }

  /** Fails when an API server that starts seems to have no GPUs. */
  @Test
  void watchIsGivenUpIfTheClusterForbidsItForLongerThanTheStartTimeout() {
    watches.failed(ResourceSlice.class, answer(403));
    seconds(14);
    watches.failed(ResourceSlice.class, answer(403));
    assertThat(watches.refused(ResourceSlice.class)).isFalse();
    assertThat(watches.trouble()).isNull();

    seconds(1);

    assertThat(watches.refused(ResourceSlice.class)).isTrue();
    assertThat(watches.refused(ResourceClaim.class)).isFalse();
    assertThat(watches.trouble()).contains("apply deploy/cluster-dra.yaml");
    seconds(30);
    assertThat(watches.refused(ResourceSlice.class)).as("it was not repeated").isFalse();
    assertThat(watches.trouble()).isNull();
  }

  @Test
  void clusterWithoutTheApiRefusesTheWatchAndASilentOneDoesNot() {
    watches.failed(ResourceSlice.class, answer(404));
    watches.failed(ResourceClaim.class, answer(503));
    seconds(20);

    assertThat(watches.refused(ResourceSlice.class)).isTrue();
    assertThat(watches.refused(ResourceClaim.class)).isFalse();
    assertThat(watches.trouble()).contains("Kubernetes 1.34 or later");
  }
}
