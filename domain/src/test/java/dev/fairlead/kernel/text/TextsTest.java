package dev.fairlead.kernel.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Templates of texts, and the values that a test passes. */
class TextsTest {

  @Test
  void eachValueIsReplacedOnceAsAWholeWord() {
    String template = Texts.template("8 of 80 GPUs of gpu-8 at 0.8, not 8", 8, 80, 8);

    assertThat(template).isEqualTo("{0} of {1} GPUs of gpu-8 at 0.8, not {2}");
    assertThat(Texts.filled(template, 1, 2, 3)).isEqualTo("1 of 2 GPUs of gpu-8 at 0.8, not 3");
  }

  /** Fails when an update could record a text that lost a number. */
  @Test
  void aTextWithoutAValueOfTheTestIsNotRecorded() {
    assertThatThrownBy(() -> Texts.template("no node has 16 GPUs", 16, 8))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("does not name 8");
  }
}
