package dev.fairlead.verify.engine.fgd;

import dev.fairlead.verify.Arguments;
import dev.fairlead.verify.BadInput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Arguments of a run.
 *
 * @param pods lists, at least one
 * @param seeds 1..1000
 * @param compare whether a list below its published figures is a failure
 * @param own whether the lists are {@link DerivedLists} instead of {@code pods}
 * @param traces directory of the public traces
 */
record FgdArguments(
    Path nodes, List<Path> pods, int seeds, boolean compare, boolean own, Path traces) {
  private static final String NODES = "openb_node_list_gpu_node.csv";
  private static final String PODS = "openb_pod_list_*.csv";
  private static final int MOST_SEEDS = 1000;

  /**
   * @param traces directory of the public traces, for absent arguments
   */
  static FgdArguments of(Path traces, Arguments arguments) {
    Path directory = traces.resolve("alibaba-gpu-v2023");
    Optional<Path> pods = arguments.path("pods");
    return new FgdArguments(
        arguments.path("nodes").orElse(directory.resolve(NODES)),
        pods.map(List::of).orElseGet(() -> lists(directory)),
        arguments.number("seeds", 10, 1, MOST_SEEDS),
        pods.isEmpty(),
        arguments.has("own"),
        traces);
  }

  private static List<Path> lists(Path directory) {
    if (!Files.isDirectory(directory)) {
      throw new BadInput(
          "no trace in "
              + directory
              + ". Set FAIRLEAD_TRACES to the directory that holds alibaba-gpu-v2023, or give"
              + " NODES= and PODS=");
    }
    List<Path> lists = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, PODS)) {
      found.forEach(lists::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (lists.isEmpty()) {
      throw new BadInput(directory + ": expected files like " + PODS);
    }
    lists.sort(null);
    return lists;
  }
}
