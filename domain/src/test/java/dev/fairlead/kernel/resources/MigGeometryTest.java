package dev.fairlead.kernel.resources;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The placement tables, compared with the output of nvidia-smi for the same GPUs. */
class MigGeometryTest {
  @ParameterizedTest
  @CsvSource({
    "A30, 1g.6gb, 4, 250",
    "A30, 2g.12gb+me, 1, 500",
    "A30, 4g.24gb, 1, 1000",
    "A100-40GB, 1g.5gb, 7, 125",
    "A100-40GB, 1g.10gb, 4, 250",
    "A100-80GB, 2g.20gb, 3, 250",
    "H100, 1g.10gb+me, 1, 125",
    "H100, 3g.40gb, 2, 500",
    "H100-94GB, 4g.47gb, 1, 500",
    "H200, 1g.35gb, 4, 250",
    "B200, 7g.180gb, 1, 1000",
  })
  void profileHasItsMaximumInstancesAndItsFractionOfAGpu(
      String model, String profile, int instances, int milli) {
    MigGeometry geometry = MigGeometry.of(model).orElseThrow();
    assertThat(geometry.profile(profile).orElseThrow().fits(0)).isEqualTo(instances);
    assertThat(MigGeometry.milli(model, profile)).isEqualTo(milli);
  }

  /**
   * Output of {@code nvidia-smi mig -lgip} and {@code -lgipp} on such machines with driver 580.159:
   * name, starts and size in memory slices.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "H100 | 1g.10gb     | 0 1 2 3 4 5 6 | 1",
        "H100 | 1g.10gb+me  | 0 1 2 3 4 5 6 | 1",
        "H100 | 1g.20gb     | 0 2 4 6       | 2",
        "H100 | 2g.20gb     | 0 2 4         | 2",
        "H100 | 3g.40gb     | 0 4           | 4",
        "H100 | 4g.40gb     | 0             | 4",
        "H100 | 7g.80gb     | 0             | 8",
        "H200 | 1g.18gb     | 0 1 2 3 4 5 6 | 1",
        "H200 | 1g.18gb+me  | 0 1 2 3 4 5 6 | 1",
        "H200 | 1g.35gb     | 0 2 4 6       | 2",
        "H200 | 2g.35gb     | 0 2 4         | 2",
        "H200 | 3g.71gb     | 0 4           | 4",
        "H200 | 4g.71gb     | 0             | 4",
        "H200 | 7g.141gb    | 0             | 8",
      })
  void profilePlacementMatchesTheDriver(String model, String name, String starts, int size) {
    MigGeometry geometry = MigGeometry.of(model).orElseThrow();
    MigGeometry.Profile profile = geometry.profile(name).orElseThrow();
    assertThat(geometry.profiles()).hasSize(7);
    assertThat(profile.size()).isEqualTo(size);
    assertThat(profile.places())
        .extracting(place -> Integer.toString(Integer.numberOfTrailingZeros(place)))
        .containsExactly(starts.split(" "));
  }

  /** The partitions that the user guide draws for GPUs of seven slices. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "4g.40gb 3g.40gb | true",
        "4g.40gb 2g.20gb 1g.10gb | true",
        "3g.40gb 3g.40gb | true",
        "2g.20gb 2g.20gb 2g.20gb 1g.10gb | true",
        "1g.10gb 1g.10gb 1g.10gb 1g.10gb 1g.10gb 1g.10gb 1g.10gb | true",
        "4g.40gb 4g.40gb | false",
        "3g.40gb 3g.40gb 1g.10gb | false",
        "7g.80gb 1g.10gb | false",
      })
  void profilesThatFitTogether(String partition, boolean fits) {
    MigGeometry geometry = MigGeometry.of("A100-80GB").orElseThrow();
    int taken = 0;
    boolean all = true;
    for (String name : partition.split(" ")) {
      int place = geometry.place(geometry.profile(name).orElseThrow(), taken);
      all &= place != 0;
      taken |= place;
    }
    assertThat(all).isEqualTo(fits);
  }

  @Test
  void eachMigCapableModelHasATable() {
    assertThat(GpuCatalogue.models())
        .filteredOn(m -> m.migGeometry() != null)
        .allMatch(m -> MigGeometry.of(m.name()).isPresent());
  }

  @Test
  void profileOfAnUnknownGpuCountsItsComputeSlicesOfSeven() {
    assertThat(MigGeometry.milli("RTX", "1g.24gb")).isEqualTo(143);
  }
}
