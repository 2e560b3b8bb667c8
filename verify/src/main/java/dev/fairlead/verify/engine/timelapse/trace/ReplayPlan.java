package dev.fairlead.verify.engine.timelapse.trace;

import dev.fairlead.verify.Arguments;
import dev.fairlead.verify.BadInput;
import dev.fairlead.verify.Program;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Replays of {@code make replay-engine} and {@code make estimates}.
 *
 * @param traces names of traces
 * @param sharing policy that shares the cluster between queues
 * @param most number of jobs from the beginning, at least 1
 * @param shrink divisor of the nodes, at least 1
 * @param tick seconds between two plans, at least 1
 * @param out directory for tables and pictures
 */
public record ReplayPlan(
    List<String> traces,
    Files files,
    List<Sharing> sharing,
    int most,
    int shrink,
    int tick,
    Path out) {
  static final List<String> TRACES = List.of("philly", "openb", "tiresias", "dlrm");

  /**
   * Files of a trace.
   *
   * @param given the job list, or null for the list of the public traces
   * @param givenNodes likewise the nodes
   */
  public record Files(Path traces, @Nullable Path given, @Nullable Path givenNodes) {
    public Path jobs(String folder, String name) {
      return given == null ? traces.resolve(folder).resolve(name) : given;
    }

    Path nodes(String folder, String name) {
      return givenNodes == null ? traces.resolve(folder).resolve(name) : givenNodes;
    }
  }

  /** A program with the options of a replay. */
  public static Program program(String name, String purpose) {
    return Program.of(name, purpose)
        .option("trace", "some of " + String.join(",", TRACES))
        .option("file", "another list of jobs")
        .option("nodes", "another list of nodes")
        .option("sharing", "some of " + String.join(",", Sharing.texts()))
        .option("most", "jobs at most")
        .option("shrink", "uses each n-th node, by default all")
        .option("tick", "seconds between two plans, by default 10")
        .option("out", "folder for tables and pictures");
  }

  /**
   * @param out default directory for tables and pictures
   */
  public static ReplayPlan of(Path publicTraces, Path out, Arguments arguments) {
    List<String> traces = arguments.some("trace", TRACES);
    Optional<Path> file = arguments.path("file");
    Optional<Path> nodes = arguments.path("nodes");
    if (traces.size() > 1 && (file.isPresent() || nodes.isPresent())) {
      throw new BadInput("FILE and NODES: expected together with TRACE=<one of " + TRACES + ">");
    }
    return new ReplayPlan(
        traces,
        new Files(publicTraces, file.orElse(null), nodes.orElse(null)),
        sharing(arguments),
        arguments.number("most", Integer.MAX_VALUE, 1, Integer.MAX_VALUE),
        arguments.number("shrink", 1, 1, Integer.MAX_VALUE),
        arguments.number("tick", 10, 1, Integer.MAX_VALUE),
        arguments.path("out").orElse(out));
  }

  private static List<Sharing> sharing(Arguments arguments) {
    return arguments.text("sharing").isEmpty()
        ? List.of(Sharing.QUOTA, Sharing.BORROW, Sharing.RECLAIM)
        : arguments.some("sharing", Sharing.texts()).stream()
            .map(text -> Sharing.valueOf(text.toUpperCase(Locale.ROOT)))
            .toList();
  }
}
