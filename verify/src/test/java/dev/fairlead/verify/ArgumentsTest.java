package dev.fairlead.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArgumentsTest {
  private static Arguments of(String... args) {
    return Arguments.of(List.of("jobs", "part", "max-run", "trace", "out", "quick"), args);
  }

  @Test
  void anAbsentOrEmptyValueHasItsDefault() {
    Arguments arguments = of("--jobs", "", "--quick");

    assertThat(arguments.number("jobs", 500, 1, 1_000)).isEqualTo(500);
    assertThat(arguments.fraction("part", 1, 0, 1)).isEqualTo(1);
    assertThat(arguments.duration("max-run", Duration.ofSeconds(20))).hasSeconds(20);
    assertThat(arguments.some("trace", List.of("philly", "openb")))
        .containsExactly("philly", "openb");
    assertThat(arguments.path("out")).isEmpty();
    assertThat(arguments.has("quick")).isTrue();
  }

  @Test
  void givenValueIsRead() {
    Arguments arguments =
        of("--jobs", " 50 ", "--part", "0.5", "--max-run", "2m", "--trace", "openb", "--out", "x");

    assertThat(arguments.multiple("jobs", 500, 10, 1_000)).isEqualTo(50);
    assertThat(arguments.fraction("part", 1, 0, 1)).isEqualTo(0.5);
    assertThat(arguments.duration("max-run", Duration.ZERO)).hasMinutes(2);
    assertThat(arguments.some("trace", List.of("philly", "openb"))).containsExactly("openb");
    assertThat(arguments.path("out")).contains(Path.of("x"));
    assertThat(arguments.has("quick")).isFalse();
  }

  /** Fails when a value is used that the program did not declare. */
  @ParameterizedTest
  @CsvSource({
    "--jobs, 0, 'JOBS: expected a whole number, 10 to 1000, found \"0\"'",
    "--jobs, 1010, 'JOBS: expected a whole number, 10 to 1000, found \"1010\"'",
    "--jobs, 15, 'JOBS: expected a multiple of 10 up to 1000, found \"15\"'",
    "--jobs, many, 'JOBS: expected a whole number, 10 to 1000, found \"many\"'",
    "--part, 2, 'PART: expected a number, 0.0 to 1.0, found \"2\"'",
    "--part, half, 'PART: expected a number, 0.0 to 1.0, found \"half\"'",
    "--max-run, 20, 'MAX_RUN: expected a duration such as 20s, found \"20\"'",
    "--trace, helios, 'TRACE: expected some of [philly], found \"helios\"'"
  })
  void invalidValueIsRejectedByItsName(String name, String value, String message) {
    Arguments arguments = of(name, value);

    assertThatThrownBy(
            () -> {
              int _ = arguments.multiple("jobs", 500, 10, 1_000);
              double _ = arguments.fraction("part", 1, 0, 1);
              Duration _ = arguments.duration("max-run", Duration.ofSeconds(20));
              List<String> _ = arguments.some("trace", List.of("philly"));
            })
        .isInstanceOf(BadInput.class)
        .hasMessage(message);
  }

  /** Fails when a switch with a different value than 1 is ignored, and a run leaves out a part. */
  @Test
  void switchAcceptsOneOrNoValue() {
    assertThat(of("--quick", "1").has("quick")).isTrue();
    assertThat(of("--quick", "").has("quick")).isFalse();
    assertThatThrownBy(() -> of("--quick", "yes").has("quick"))
        .isInstanceOf(BadInput.class)
        .hasMessage("QUICK: expected 1 or no value, found \"yes\"");
  }

  /** Fails when a mistyped name is ignored and the default is silently used. */
  @Test
  void anUnknownNameAndAValueWithoutANameAreRefused() {
    assertThatThrownBy(() -> of("--job", "5"))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("found \"--job\"");
    assertThatThrownBy(() -> of("5")).isInstanceOf(BadInput.class);
  }
}
