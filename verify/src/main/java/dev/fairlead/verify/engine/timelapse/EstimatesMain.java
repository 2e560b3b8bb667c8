package dev.fairlead.verify.engine.timelapse;

import dev.fairlead.launcher.WorkTree;
import dev.fairlead.verify.Report;
import dev.fairlead.verify.SharedFolder;
import dev.fairlead.verify.engine.timelapse.trace.ReplayPlan;
import dev.fairlead.verify.engine.timelapse.trace.Sharing;
import dev.fairlead.verify.engine.timelapse.trace.Trace;
import dev.fairlead.verify.engine.timelapse.trace.Traces;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code make estimates}: measures the accuracy of expected starts on traces and on a generated
 * set. Exits with 1 when too few or too many jobs start by their p90, with 2 for invalid arguments
 * or files.
 */
public final class EstimatesMain {
  private static final int SEEDS = 4;

  private final Report report;

  private EstimatesMain(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    ReplayPlan.program("estimates", "accuracy of expected starts")
        .run(
            args,
            (arguments, report) -> {
              Path build = WorkTree.root().resolve("build").resolve("estimates");
              ReplayPlan plan = ReplayPlan.of(SharedFolder.traces(), build, arguments);
              report.require(new EstimatesMain(report).holds(plan));
            });
  }

  private boolean holds(ReplayPlan arguments) {
    List<Trace> traces = new ArrayList<>();
    for (String name : arguments.traces()) {
      traces.add(TimelapseMain.smaller(Traces.read(name, arguments.files()), arguments));
    }
    boolean holds = true;
    for (Sharing sharing : arguments.sharing()) {
      for (Trace trace : traces) {
        holds &= printed(Coverage.of(trace, sharing, arguments.tick()));
      }
      holds &= printed(Generated.coverage(SEEDS, sharing, arguments.tick()));
    }
    return holds;
  }

  private boolean printed(Coverage coverage) {
    report.line(coverage.text());
    return coverage.holds();
  }
}
