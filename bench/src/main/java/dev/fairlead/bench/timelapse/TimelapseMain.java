package dev.fairlead.bench.timelapse;

import dev.fairlead.bench.replay.BadInput;
import dev.fairlead.bench.timelapse.trace.Arguments;
import dev.fairlead.bench.timelapse.trace.Arrival;
import dev.fairlead.bench.timelapse.trace.Sharing;
import dev.fairlead.bench.timelapse.trace.Trace;
import dev.fairlead.bench.timelapse.trace.Traces;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.launcher.WorkTree;
import java.io.IOException;
import java.io.PrintStream;
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
  private static final PrintStream OUT = System.out;

  private TimelapseMain() {}

  public static void main(String[] args) {
    try {
      Path build = WorkTree.root().resolve("build").resolve("replay-engine");
      Arguments arguments = Arguments.parse(Traces.directory(), build, args);
      for (String trace : arguments.traces()) {
        replay(trace, arguments);
      }
    } catch (BadInput bad) {
      System.err.println("replay-engine: " + bad.getMessage());
      System.exit(2);
    }
  }

  private static void replay(String name, Arguments arguments) {
    if (name.equals("dlrm")) {
      Dlrm.place(arguments.files()).forEach(OUT::println);
      return;
    }
    Path directory = made(arguments.out().resolve(name));
    Trace trace = smaller(Traces.read(name, arguments.files()), arguments);
    Study study = new Study(trace, arguments.tick());
    Map<Sharing, Run> runs = study.runs(arguments.sharing());
    for (Run run : runs.values()) {
      Table.of(run).forEach(OUT::println);
      Floors.of(run).forEach(OUT::println);
      Sheets.write(run, directory);
      OUT.println();
    }
    Pictures.write(runs.values(), directory);
    OUT.println("tables and pictures are in " + directory);
  }

  /** Called before the replay, which takes minutes. */
  private static Path made(Path directory) {
    try {
      return Files.createDirectories(directory);
    } catch (IOException e) {
      throw new BadInput("OUT: expected a directory that can be made, " + e, e);
    }
  }

  static Trace smaller(Trace trace, Arguments arguments) {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < trace.nodes().size(); i += arguments.shrink()) {
      nodes.add(trace.nodes().get(i));
    }
    List<Arrival> jobs = trace.jobs().stream().limit(arguments.most()).toList();
    return new Trace(trace.name(), nodes, trace.weights(), jobs);
  }
}
