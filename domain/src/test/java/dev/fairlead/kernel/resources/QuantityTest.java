package dev.fairlead.kernel.resources;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {
  @ParameterizedTest
  @CsvSource({
    "1, 1000",
    "1.5, 1500",
    "250m, 250",
    ".5, 500",
    "0, 0",
    "0.0001, 1",
    "2k, 2000000",
    "1e1, 10000",
    "100e-3, 100",
    "500000u, 500",
    "1.0005, 1001"
  })
  void coresAreRoundedUpToThousandths(String text, long milli) {
    assertThat(Quantity.milli(text)).contains(milli);
  }

  @ParameterizedTest
  @CsvSource({
    "16Gi, 16384",
    "1Ti, 1048576",
    "512Mi, 512",
    "1024Ki, 1",
    "1048576, 1",
    "1048577, 2",
    "1, 1",
    "1G, 954",
    "1e9, 954",
    "1E9, 954",
    "129e6, 124",
    "129E+6, 124",
    "128974848000m, 123",
    "0, 0"
  })
  void memoryIsRoundedUpToMebibytes(String text, long mebibytes) {
    assertThat(Quantity.mebibytes(text)).contains(mebibytes);
  }

  @ParameterizedTest
  @CsvSource({"3, 3", "2k, 2000", "100m, 1", "1Ki, 1024"})
  void unitsAreRoundedUp(String text, long units) {
    assertThat(Quantity.units(text)).contains(units);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " 1",
        "1 ",
        "-1",
        "+1",
        "1e",
        "1e3.5",
        "1e999",
        "1Ei9",
        "1.",
        ".",
        "0x10",
        "1,5",
        "1gi",
        "Gi",
        "NaN",
        "1MiB",
        "9999999999999Pi",
        "0000000000000000000000001"
      })
  void otherTextIsNotAQuantity(String text) {
    assertThat(Quantity.milli(text)).isEmpty();
    assertThat(Quantity.mebibytes(text)).isEmpty();
    assertThat(Quantity.units(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1500, 1.5", "1000, 1", "250, 0.25", "0, 0", "1000000, 1000", "1, 0.001"})
  void thousandthsAreWrittenAsTheShortestDecimal(long milli, String text) {
    assertThat(Quantity.ofMilli(milli)).isEqualTo(text);
    assertThat(Quantity.milli(text)).contains(milli);
  }

  @ParameterizedTest
  @CsvSource({"16384, 16Gi", "1048576, 1Ti", "512, 512Mi", "1025, 1025Mi", "0, 0Mi"})
  void mebibytesAreWrittenInTheLargestWholeUnit(long mebibytes, String text) {
    assertThat(Quantity.ofMebibytes(mebibytes)).isEqualTo(text);
    assertThat(Quantity.mebibytes(text)).contains(mebibytes);
  }

  @ParameterizedTest
  @CsvSource({
    "1e9, 1G, true",
    "1000m, 1, true",
    "1Gi, 1024Mi, true",
    "1G, 1Gi, false",
    "x, x, false"
  })
  void equalAmountsInDifferentNotationsAreEqual(String one, String other, boolean same) {
    // Fails when a limit is refused because its notation differs from its request.
    assertThat(Quantity.same(one, other)).isEqualTo(same);
  }
}
