package dev.fairlead.kernel.pattern.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Re2PatternsTest {
  private final Re2Patterns patterns = new Re2Patterns();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[a-z0-9-]+",
        "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        "([0-9]{1,3}\\.){3}[0-9]{1,3}",
        "sha256:[a-f0-9]{64}",
        "v[0-9]+(\\.[0-9]+)*"
      })
  void anOrdinaryPatternIsAllowed(String pattern) {
    assertThat(patterns.problem(pattern)).isEmpty();
  }

  /** Fails when RE2 expands a repetition before its size is checked: the heap fills up first. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "((a{1000}){1000}){1000}",
        "(a{100}){100}",
        "((((((((a{9}){9}){9}){9}){9}){9}){9}){9}){9}",
        "(a{1000,}){1000,}",
        "a{1000}b{1000}c",
        "(",
        "a**",
        "(a)\\1",
        "(?=a)"
      })
  void oversizedOrInvalidPatternIsRejected(String pattern) {
    assertThat(patterns.problem(pattern)).isPresent();
  }

  /** Fails when a match backtracks, with or without reading a character. */
  @ParameterizedTest
  @ValueSource(strings = {"(a+)+b", "(a|aa)+b", "(.*)*x", ".*.*.*.*.*.*.*.*b"})
  void aMatchIsLinearInTheText(String pattern) {
    assertThat(patterns.problem(pattern)).isEmpty();
    assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () -> {
          assertThat(patterns.matches(pattern, "a".repeat(4_000))).isFalse();
          assertThat(patterns.matches("(|)".repeat(100) + "x", "")).isFalse();
        });
  }

  @Test
  void wholeTextIsMatched() {
    assertThat(patterns.matches("[a-z]+", "ab")).isTrue();
    assertThat(patterns.matches("[a-z]+", "ab\n")).isFalse();
    assertThat(patterns.matches("[a-z]+", "ab1")).isFalse();
  }
}
