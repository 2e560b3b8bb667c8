package dev.fairlead.verify.engine.cases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.fairlead.verify.SharedFolder;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The conformance cases outside the work tree, as {@code make cases} judges them. */
class SharedCasesTest {
  /**
   * Fails when another queue protects a job by quota that its other jobs use
   * (Preemptor.reclaimedFor).
   */
  @Test
  void everyUndisputedUniversalCasePasses() {
    Path folder = SharedFolder.cases();
    assumeThat(folder).as("conformance cases in %s (or FAIRLEAD_CASES)", folder).isDirectory();
    CaseReport report = CasesMain.judge(folder, CasesMain.disputed());
    assertThat(report.broken()).as(String.join("\n", report.lines(false))).isFalse();
  }
}
