package dev.fairlead.kernel.resources;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuRequestTest {
  @ParameterizedTest
  @CsvSource({
    "A100, A100, true",
    "A100-80GB, A100, true",
    "A100-80GB, A100-80GB, true",
    "A100-80GB, A100-40GB, false",
    "L40S, L4, false",
    "L4, L40S, false",
    "H100, A100, false"
  })
  void familyAcceptsItsMemorySizesAndNoOtherModel(String model, String asked, boolean accepted) {
    assertThat(GpuRequest.whole(1, asked).accepts(model, 81_920)).isEqualTo(accepted);
  }

  @Test
  void anyGpuWithEnoughMemoryIsAcceptedWithoutModels() {
    GpuRequest request = new GpuRequest(GpuRequest.Kind.WHOLE, 1, 0, 0, null, List.of(), 40_000);

    assertThat(request.accepts("H100", 81_559)).isTrue();
    assertThat(request.accepts("L4", 23_034)).isFalse();
  }

  @Test
  void wholeGpusAndFractionsAreStoredInThousandths() {
    assertThat(GpuRequest.NONE.milliOn(81_559)).isZero();
    assertThat(GpuRequest.whole(8).milliOn(81_559)).isEqualTo(8000);
    assertThat(GpuRequest.fraction(250).milliOn(81_559)).isEqualTo(250);
  }

  @ParameterizedTest
  @CsvSource({
    "12288, 24576, 500",
    "12289, 24576, 501",
    "2000, 46068, 44",
    "24576, 24576, 1000",
    "30000, 24576, 1221"
  })
  void aMemoryShareIsRoundedUp(long memoryMiB, long device, long milli) {
    GpuRequest request =
        new GpuRequest(GpuRequest.Kind.MEMORY, 0, 0, memoryMiB, null, List.of(), 0);

    assertThat(request.milliOn(device)).isEqualTo(milli);
  }

  @Test
  void threeSharesOfHalfADeviceDoNotFitOnOne() {
    // 3 x 12 GiB on one 24 GiB GPU
    GpuRequest request = new GpuRequest(GpuRequest.Kind.MEMORY, 0, 0, 12_288, null, List.of(), 0);

    assertThat(3 * request.milliOn(24_576)).isGreaterThan(1000);
    assertThat(2 * request.milliOn(24_576)).isEqualTo(1000);
  }

  @Test
  void deviceOfUnknownMemoryGetsNoShare() {
    GpuRequest request = new GpuRequest(GpuRequest.Kind.MEMORY, 0, 0, 1, null, List.of(), 0);

    assertThat(request.milliOn(0)).isGreaterThan(1000);
  }

  /** Fails when a slice counts as a whole GPU, or as less than its share on an accepted model. */
  @Test
  void sliceCountsAtMostAsTheLargestFractionOfItsProfile() {
    GpuRequest any = new GpuRequest(GpuRequest.Kind.MIG, 2, 0, 0, "1g.10gb", List.of(), 0);
    GpuRequest large =
        new GpuRequest(GpuRequest.Kind.MIG, 2, 0, 0, "1g.10gb", List.of("H100", "A100-80GB"), 0);

    assertThat(any.mostMilli()).isEqualTo(2 * 250).isEqualTo(any.milliOn("A100-40GB", 40_960));
    assertThat(large.mostMilli()).isEqualTo(2 * 143).isEqualTo(large.milliOn("H100-X", 0));
  }
}
