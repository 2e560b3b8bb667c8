package dev.fairlead.care.health.service.dcgm;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.dcgm.GpuSample;
import dev.fairlead.care.health.dcgm.SeriesReading;
import dev.fairlead.kernel.doctor.DoctorCheck;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The doctor about series of the exporter. */
class GpuFaultDiagnosisTest extends GpuFaultLoopScene {
  @Test
  void doctorNamesMachinesMissingFromEveryCluster() {
    says();
    assertThat(doctor()).extracting(DoctorCheck::verdict).containsExactly(DoctorCheck.Verdict.OK);
    says(new GpuSample("DCGM_FI_DEV_GPU_TEMP", "GPU-9", List.of("n9.example.com"), 40, null));

    assertThat(doctor())
        .singleElement()
        .satisfies(check -> {
          assertThat(check.verdict()).isEqualTo(DoctorCheck.Verdict.WARNING);
          assertThat(check.found()).contains("n9.example.com");
          assertThat(check.next()).contains("the node name");
        });
  }

  @Test
  void doctorNamesGpusClaimedByTwoMachines() {
    says(new GpuSample("DCGM_FI_DEV_GPU_TEMP", "GPU-3", List.of("n4"), 40, null));

    assertThat(doctor())
        .singleElement()
        .satisfies(check -> assertThat(check.found()).contains("GPU-3 on n3 and n4"));
  }

  @Test
  void doctorPrintsNoControlCharacters() {
    says(new GpuSample("DCGM_FI_DEV_GPU_TEMP", "GPU-9", List.of("\u001b[31m"), 40, null));

    assertThat(doctor())
        .singleElement()
        .satisfies(check -> assertThat(check.found()).contains("?[31m").doesNotContain("\u001b"));
  }

  @Test
  void doctorReportsMissingReadsWithTheCause() {
    reader.says.put("https://one", new SeriesReading.Unread("it hangs"));
    assertThat(doctor())
        .singleElement()
        .satisfies(
            check -> assertThat(check.found()).satisfies(reason("gpu-fault-loop.read-hangs")));
    reader.says.put("https://one", new SeriesReading.Read(List.of()));
    assertThat(doctor())
        .singleElement()
        .satisfies(check -> assertThat(check.found()).contains("no recent DCGM_FI_DEV_GPU_TEMP"));
  }
}
