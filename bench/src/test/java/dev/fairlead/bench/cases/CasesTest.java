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
