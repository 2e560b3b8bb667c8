package dev.fairlead.verify.engine.timelapse;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.launcher.WorkTree;
import dev.fairlead.verify.BadInput;
import dev.fairlead.verify.Report;
import dev.fairlead.verify.SharedFolder;
import dev.fairlead.verify.engine.timelapse.trace.Arrival;
import dev.fairlead.verify.engine.timelapse.trace.ReplayPlan;
import dev.fairlead.verify.engine.timelapse.trace.Sharing;
import dev.fairlead.verify.engine.timelapse.trace.Trace;
import dev.fairlead.verify.engine.timelapse.trace.Traces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * {@code make replay-engine}: traces through the production engine with virtual time. Exits with 2
 * for invalid arguments or files.
 */
public final class TimelapseMain {
  private final Report report;

  private TimelapseMain(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    ReplayPlan.program("replay-engine", "replays public traces through the engine in virtual time")
        .run(
            args,
            (arguments, report) -> {
              Path build = WorkTree.root().resolve("build").resolve("replay-engine");
              ReplayPlan plan = ReplayPlan.of(SharedFolder.traces(), build, arguments);
              for (String trace : plan.traces()) {
                new TimelapseMain(report).replay(trace, plan);
              }
            });
  }

  private void replay(String name, ReplayPlan arguments) {
    if (name.equals("dlrm")) {
      Dlrm.place(arguments.files()).forEach(report::line);
      return;
    }
    Path directory = made(arguments.out().resolve(name));
    Trace trace = smaller(Traces.read(name, arguments.files()), arguments);
    PolicyComparison comparison = new PolicyComparison(trace, arguments.tick());
    Map<Sharing, Run> runs = comparison.runs(arguments.sharing());
    for (Run run : runs.values()) {
      Table.of(run).forEach(report::line);
      Floors.of(run).forEach(report::line);
      CsvTables.write(run, directory);
      report.line("");
    }
    Charts.write(runs.values(), directory);
    report.line("tables and pictures are in " + directory);
  }

  /** Called before the replay, which takes minutes. */
  private static Path made(Path directory) {
    try {
      return Files.createDirectories(directory);
    } catch (IOException e) {
      throw new BadInput("OUT: expected a directory that can be created, " + e, e);
    }
  }

  static Trace smaller(Trace trace, ReplayPlan arguments) {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < trace.nodes().size(); i += arguments.shrink()) {
      nodes.add(trace.nodes().get(i));
    }
    List<Arrival> jobs = trace.jobs().stream().limit(arguments.most()).toList();
    return new Trace(trace.name(), nodes, trace.weights(), jobs);
  }
}
