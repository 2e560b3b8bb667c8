package dev.fairlead.work.spec;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArrayRangeTest {
  @ParameterizedTest
  @CsvSource({
    "0-99%8, 100, 8",
    "0-0, 1, 1",
    "0-9999, 10000, 10000",
    "0-3%100, 4, 4",
    "0-3%4, 4, 4"
  })
  void aRangeIsACountAndALimit(String text, int count, int limit) {
    assertThat(ArrayRange.parse(text)).contains(new ArrayRange(count, limit));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0",
        "1-9",
        "0-",
        "0-9%",
        "0-9%0",
        "0-10000",
        "0-999999",
        "0-9%1%1",
        " 0-9",
        "0-9 ",
        "-1",
        "0-x"
      })
  void otherTextIsNotARange(String text) {
    assertThat(ArrayRange.parse(text)).isEmpty();
  }

  @Test
  void textOmitsAnIneffectiveLimit() {
    assertThat(new ArrayRange(100, 8).text()).isEqualTo("0-99%8");
    assertThat(new ArrayRange(100, 100).text()).isEqualTo("0-99");
  }
}
