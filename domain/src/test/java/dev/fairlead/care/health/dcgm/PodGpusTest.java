package dev.fairlead.care.health.dcgm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Pods in the labels of the DCGM exporter. */
class PodGpusTest {
  private static final Map<String, String> JUDGED =
      Map.of("GPU-1", "n0", "GPU-2", "n0", "GPU-3", "n1");

  private static GpuSample held(String gpu, String namespace, String pod, boolean slice) {
    return new GpuSample(
        "DCGM_FI_DEV_GPU_TEMP", gpu, List.of(), 40, new GpuSample.Holder(namespace, pod, slice));
  }

  @Test
  void podHasAllGpusThatNameIt() {
    assertThat(
            PodGpus.of(
                List.of(
                    held("GPU-2", "one", "fl-a", false),
                    held("GPU-1", "one", "fl-a", false),
                    held("GPU-3", "two", "fl-a", false),
                    new GpuSample("DCGM_FI_DEV_GPU_TEMP", "GPU-3", List.of("n1"), 40, null)),
                JUDGED))
        .containsExactly(
            new PodGpus("n0", "one", "fl-a", List.of("GPU-1", "GPU-2")),
            new PodGpus("n1", "two", "fl-a", List.of("GPU-3")));
  }

  /** Fails when a slice counts as a whole GPU, or labels of two machines count for one pod. */
  @Test
  void podsWithSlicesOrOnTwoNodesAndForeignGpusAreOmitted() {
    assertThat(
            PodGpus.of(
                List.of(
                    held("GPU-1", "one", "fl-slice", true),
                    held("GPU-2", "one", "fl-slice", false),
                    held("GPU-1", "one", "fl-twice", false),
                    held("GPU-3", "one", "fl-twice", false),
                    held("GPU-9", "one", "fl-foreign", false)),
                JUDGED))
        .isEmpty();
  }
}
