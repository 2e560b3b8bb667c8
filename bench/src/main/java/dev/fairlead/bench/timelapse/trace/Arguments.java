package dev.fairlead.bench.timelapse.trace;

import dev.fairlead.bench.replay.BadInput;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Arguments of {@code make replay-engine}. An empty value counts as absent.
 *
 * @param traces names of traces
 * @param sharing policy that shares the cluster between queues
 * @param most number of jobs from the beginning, at least 1
 * @param shrink divisor of the nodes, at least 1
 * @param tick seconds between two plans, at least 1
 * @param out directory for tables and pictures
 */
public record Arguments(
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

  /**
   * @throws BadInput naming the argument, its value and the expected one
   */
  public static Arguments parse(Path publicTraces, Path build, String... args) {
    SortedMap<String, String> given = new TreeMap<>();
    for (int i = 0; i + 1 < args.length; i += 2) {
      given.put(args[i], args[i + 1].strip());
    }
    String trace = given.getOrDefault("--trace", "");
    List<String> traces = trace.isEmpty() ? TRACES : Arrays.asList(trace.split(","));
    for (String each : traces) {
      if (!TRACES.contains(each)) {
        throw new BadInput("TRACE: expected one of " + TRACES + ", found \"" + each + "\"");
      }
    }
    Path file = path(given, "--file");
    Path nodes = path(given, "--nodes");
    if (traces.size() > 1 && (file != null || nodes != null)) {
      throw new BadInput("FILE and NODES: expected together with TRACE=<one of " + TRACES + ">");
    }
    Path out = path(given, "--out");
    return new Arguments(
        traces,
        new Files(publicTraces, file, nodes),
        sharing(given.getOrDefault("--sharing", "")),
        number(given, "--most", Integer.MAX_VALUE),
        number(given, "--shrink", 1),
        number(given, "--tick", 10),
        out == null ? build : out);
  }

  private static List<Sharing> sharing(String text) {
    if (text.isEmpty()) {
      return List.of(Sharing.QUOTA, Sharing.BORROW, Sharing.RECLAIM);
    }
    return Arrays.stream(text.split(","))
        .map(each ->
            Arrays.stream(Sharing.values())
                .filter(s -> s.text().equals(each))
                .findFirst()
                .orElseThrow(() ->
                    new BadInput(
                        "SHARING: expected some of "
                            + Sharing.texts()
                            + ", found \""
                            + each
                            + "\"")))
        .toList();
  }

  private static @Nullable Path path(SortedMap<String, String> given, String name) {
    String text = given.getOrDefault(name, "");
    return text.isEmpty() ? null : Path.of(text);
  }

  private static int number(SortedMap<String, String> given, String name, int otherwise) {
    String text = given.getOrDefault(name, "");
    if (text.isEmpty()) {
      return otherwise;
    }
    try {
      return Fields.within(text, 1, Integer.MAX_VALUE);
    } catch (IllegalArgumentException e) {
      throw new BadInput(
          name.substring(2).toUpperCase(Locale.ROOT)
              + ": expected a whole number, 1 or more, found \""
              + text
              + "\"",
          e);
    }
  }
}
