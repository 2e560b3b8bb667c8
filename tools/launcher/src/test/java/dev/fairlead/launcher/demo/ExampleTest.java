package dev.fairlead.launcher.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.launcher.StartFailed;
import dev.fairlead.launcher.WorkTree;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExampleTest {
  @Test
  void firstLineStatesTheExpectedEnd() {
    Example example = Example.parse("a.yaml", "# expect: CANCELLED\nname: a\nimage: b\n");
    assertThat(example.state()).isEqualTo("CANCELLED");
    assertThat(example.cause()).isNull();
    assertThat(example.attempts()).isNull();
    assertThat(example.cancelledByTheDemo()).isTrue();
  }

  @Test
  void headerLinesSetCauseAndAttempts() {
    String yaml =
        "# expect: FAILED\n"
            + "# about it\n"
            + "# cause: NODE_FAILURE\n"
            + "# attempts: 3\n"
            + "name: a\n"
            + "# cause: EVICTED\n";
    Example example = Example.parse("a.yaml", yaml);
    assertThat(example.cause()).isEqualTo("NODE_FAILURE");
    assertThat(example.attempts()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "name: a", "# expect: RUNNING", "#expect: FAILED", "\n# expect: FAILED"})
  void exampleWithoutAnExpectedEndIsRejected(String yaml) {
    assertThatThrownBy(() -> Example.parse("a.yaml", yaml))
        .isInstanceOf(StartFailed.class)
        .hasMessageStartingWith(
            "a.yaml:1: expected \"# expect: SUCCEEDED\", FAILED or CANCELLED, found \"");
  }

  @Test
  void everyDifferenceIsNamed() {
    Example example =
        Example.parse("a.yaml", "# expect: FAILED\n# cause: USER_ERROR\n# attempts: 1\n");
    assertThat(example.differences(job("SUCCEEDED", "", 2)))
        .containsExactly(
            "a.yaml: state should be FAILED, is SUCCEEDED",
            "a.yaml: cause should be USER_ERROR, is none",
            "a.yaml: attempts should be 1, is 2");
    assertThat(example.differences(job("FAILED", "USER_ERROR", 1))).isEmpty();
  }

  @Test
  void allExamplesStateTheirExpectedEnd() {
    List<Example> all = Example.in(WorkTree.root().resolve("examples"));
    assertThat(all)
        .extracting(Example::file)
        .contains("hello-gpu.yaml", "llama-sft.yaml", "too-large.yaml");
    assertThat(all).extracting(Example::state).contains("SUCCEEDED", "FAILED", "CANCELLED");
  }

  private static JobLine job(String state, String cause, int attempts) {
    return new JobLine("job_1", "a", state, "", "", cause, attempts, null, Duration.ZERO);
  }
}
