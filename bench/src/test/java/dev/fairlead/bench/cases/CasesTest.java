package dev.fairlead.bench.cases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CasesTest {
  @TempDir Path folder;
  private String share = "4";
  private String portable = "universal";
  private String mode = "fair-share";
  private String expect = "expect";
  private String total = "{\"gpu\": 4}";

  @BeforeEach
  void aFile() throws IOException {
    write();
  }

  @Test
  void aCaseThatAgreesPasses() {
    assertThat(last(Set.of())).isEqualTo("universal 1/1 policy 0/0");
  }

  @Test
  void aUniversalCaseThatFailsBreaksTheRunUnlessItIsDisputed() throws IOException {
    share = "3";
    write();
    assertThat(CasesMain.judge(folder, Set.of()).broken()).isTrue();
    assertThat(CasesMain.judge(folder, Set.of("f/one")).broken()).isFalse();
    assertThat(last(Set.of())).isEqualTo("universal 0/1 policy 0/0");
  }

  @Test
  void aPolicyCaseMayDiffer() throws IOException {
    share = "3";
    portable = "policy";
    write();
    assertThat(CasesMain.judge(folder, Set.of()).broken()).isFalse();
    assertThat(last(Set.of())).isEqualTo("universal 0/0 policy 0/1");
  }

  @Test
  void aWrongFieldIsToldWithItsPlace() throws IOException {
    total = "{\"gpu\": \"many\"}";
    write();
    assertThatThrownBy(() -> last(Set.of()))
        .isInstanceOf(BadCase.class)
        .hasMessage("one.json:4:20: /cases/0/total/gpu: expected a number, found \"many\"");
  }

  @Test
  void aPortabilityThatNobodyKnowsIsTold() throws IOException {
    portable = "sometimes";
    write();
    assertThatThrownBy(() -> last(Set.of()))
        .hasMessage(
            "one.json:2:30: /cases/0/portable: expected one of universal, policy,"
                + " found \"sometimes\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[1, 2]", "7"})
  void aFileThatHoldsNoCasesIsNamed(String text) throws IOException {
    Files.writeString(folder.resolve("other.json"), text);
    assertThatThrownBy(() -> last(Set.of()))
        .hasMessage("other.json:1:1: expected an object with schema and cases");
  }

  /**
   * Fails when the number is used as it stands: the first breaks the engine, the second the run.
   */
  @ParameterizedTest
  @ValueSource(strings = {"-1", "1e30"})
  void asManyGpusAsNoNodeHasAreTold(String gpus) throws IOException {
    Files.writeString(
        folder.resolve("one.json"),
        """
        {"schema": "conformance-cases/1", "family": "f", "cases": [{
          "id": "f/one", "portable": "universal", "tags": [],
          "evaluation": {"mode": "rounds"}, "expect": {"tasks": {}},
          "cluster": {"nodes": [{"name": "n", "gpus": %s}]}}]}
        """
            .formatted(gpus));
    assertThatThrownBy(() -> last(Set.of()))
        .hasMessageStartingWith("one.json:4:47: /cases/0/cluster/nodes/0/gpus: expected a whole");
  }

  @Test
  void aModeThatNobodyKnowsIsToldAndNotJudged() throws IOException {
    mode = "teleport";
    write();
    assertThatThrownBy(() -> last(Set.of()))
        .isInstanceOf(BadCase.class)
        .hasMessageStartingWith("one.json:3:26: /cases/0/evaluation/mode: expected one of ")
        .hasMessageEndingWith("found \"teleport\"");
  }

  @Test
  void aCaseWithoutAnExpectationIsNoCaseThatPasses() throws IOException {
    expect = "expected";
    write();
    assertThatThrownBy(() -> last(Set.of()))
        .hasMessage("one.json:1:60: /cases/0/expect: expected an object, found nothing");
  }

  @Test
  void whatIsNoJsonIsToldWithItsLineAndColumn() throws IOException {
    Files.writeString(folder.resolve("cut.json"), "{\n \"schema\": many}");
    assertThatThrownBy(() -> last(Set.of()))
        .isInstanceOf(BadCase.class)
        .hasMessageStartingWith("cut.json:2:")
        .hasMessageContaining("expected JSON");
  }

  @Test
  void aFolderThatIsNotThereIsTold() {
    assertThatThrownBy(() -> CasesMain.judge(folder.resolve("none"), Set.of()))
        .hasMessageContaining("none is no folder");
  }

  private String last(Set<String> disputed) {
    return CasesMain.judge(folder, disputed).lines(false).getLast();
  }

  private void write() throws IOException {
    Files.writeString(
        folder.resolve("one.json"),
        """
        {"schema": "conformance-cases/1", "family": "f", "cases": [{
          "id": "f/one", "portable": "%s", "tags": ["fair-share"],
          "evaluation": {"mode": "%s"},
          "total": %s,
          "queues": [{"name": "q", "parent": null, "priority": 1, "resources":
            {"gpu": {"quota": 1, "limit": -1, "weight": 1, "request": 9}}}],
          "%s": {"fair_share": {"q": {"gpu": %s}}}}]}
        """
            .formatted(portable, mode, total, expect, share));
  }
}
