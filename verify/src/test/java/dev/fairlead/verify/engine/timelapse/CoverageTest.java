package dev.fairlead.verify.engine.timelapse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fairlead.figures.Figure;
import dev.fairlead.verify.SharedFolder;
import dev.fairlead.verify.engine.timelapse.trace.ReplayPlan;
import dev.fairlead.verify.engine.timelapse.trace.Sharing;
import dev.fairlead.verify.engine.timelapse.trace.Trace;
import dev.fairlead.verify.engine.timelapse.trace.Traces;
import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Of the jobs with a p90 estimate, 85 to 95 % start by that time. */
class CoverageTest {
  private static final int TICK = 10;

  @Tag(Figure.TAG)
  @Test
  void expected_starts_hold_on_a_set_with_users_and_images() {
    Coverage coverage = Generated.coverage(Figure.times(1, 2), Sharing.BORROW, TICK);

    assertThat(coverage.told()).as(coverage.text()).isGreaterThan(100);
    assertThat(coverage.holds()).as(coverage.text()).isTrue();
  }

  @Tag("long")
  @Test
  void expected_starts_hold_on_the_philly_trace() {
    assumeTrue(
        Files.isDirectory(SharedFolder.traces()),
        () -> "no traces in " + SharedFolder.traces() + ": the Philly trace is not replayed");
    ReplayPlan arguments =
        ReplayPlan.of(
            SharedFolder.traces(),
            SharedFolder.traces(),
            ReplayPlan.program("", "")
                .arguments("--trace", "philly", "--most", "4000", "--shrink", "8"));
    Trace trace = TimelapseMain.smaller(Traces.read("philly", arguments.files()), arguments);

    Coverage coverage = Coverage.of(trace, Sharing.QUOTA, TICK);

    assertThat(coverage.told()).as(coverage.text()).isGreaterThan(100);
    assertThat(coverage.holds()).as(coverage.text()).isTrue();
  }
}
