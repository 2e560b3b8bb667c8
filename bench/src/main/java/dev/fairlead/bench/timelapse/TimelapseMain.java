package dev.fairlead.bench.timelapse;

import dev.fairlead.bench.replay.BadInput;
import dev.fairlead.cluster.Node;
import dev.fairlead.launcher.WorkTree;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * {@code make replay-engine}: traces through the production engine with virtual time. Ends with 2
 * for arguments or files that cannot be used.
 */
public final class TimelapseMain {
  private static final PrintStream OUT = System.out;

  private TimelapseMain() {}

  public static void main(String[] args) {
    try {
      Path build = WorkTree.root().resolve("build").resolve("replay-engine");
      Arguments arguments = Arguments.parse(traces(), build, args);
      for (String trace : arguments.traces()) {
        replay(trace, arguments);
      }
    } catch (BadInput bad) {
      System.err.println("replay-engine: " + bad.getMessage());
      System.exit(2);
    }
  }

  private static void replay(String name, Arguments arguments) {
    Path directory = arguments.out().resolve(name);
    if (name.equals("dlrm")) {
      Dlrm.place(arguments.files()).forEach(OUT::println);
      return;
    }
    Trace trace = smaller(read(name, arguments.files()), arguments);
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

  private static Trace read(String name, Arguments.Files files) {
    return switch (name) {
      case "philly" -> Philly.read(files);
      case "openb" -> Openb.read(files);
      default -> Tiresias.read(files);
    };
  }

  private static Trace smaller(Trace trace, Arguments arguments) {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < trace.nodes().size(); i += arguments.shrink()) {
      nodes.add(trace.nodes().get(i));
    }
    List<Arrival> jobs = trace.jobs().stream().limit(arguments.most()).toList();
    return new Trace(trace.name(), nodes, trace.weights(), jobs);
  }

  private static Path traces() {
    String given = System.getenv("FAIRLEAD_TRACES");
    return given != null && !given.isBlank()
        ? Path.of(given.strip())
        : WorkTree.root().resolveSibling("shared").resolve("traces");
  }
}
