package dev.fairlead.bench.timelapse;

import dev.fairlead.bench.replay.BadInput;
import dev.fairlead.bench.timelapse.trace.Arguments;
import dev.fairlead.bench.timelapse.trace.Sharing;
import dev.fairlead.bench.timelapse.trace.Trace;
import dev.fairlead.bench.timelapse.trace.Traces;
import dev.fairlead.launcher.WorkTree;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code make estimates}: measures the accuracy of expected starts on traces and on a generated
 * set. Exits with 1 when too few or too many jobs start by their p90, with 2 for invalid arguments
 * or files.
 */
public final class EstimatesMain {
  private static final PrintStream OUT = System.out;
  private static final int SEEDS = 4;

  private EstimatesMain() {}

  public static void main(String[] args) {
    try {
      Path build = WorkTree.root().resolve("build").resolve("estimates");
      System.exit(holds(Arguments.parse(Traces.directory(), build, args)) ? 0 : 1);
    } catch (BadInput bad) {
      System.err.println("estimates: " + bad.getMessage());
      System.exit(2);
    }
  }

  private static boolean holds(Arguments arguments) {
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

  private static boolean printed(Coverage coverage) {
    OUT.println(coverage.text());
    return coverage.holds();
  }
}
