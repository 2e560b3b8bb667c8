package dev.fairlead.bench.fgd;

import dev.fairlead.bench.replay.BadInput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Arguments of a run.
 *
 * @param pods lists, at least one
 * @param seeds 1..1000
 * @param compare whether a list below its published figures is a failure
 * @param own whether the lists are {@link OwnLists} instead of {@code pods}
 * @param traces directory of the public traces
 */
record FgdArguments(
    Path nodes, List<Path> pods, int seeds, boolean compare, boolean own, Path traces) {
  private static final String NODES = "openb_node_list_gpu_node.csv";
  private static final String PODS = "openb_pod_list_*.csv";
  private static final int MOST_SEEDS = 1000;

  /**
   * Reads pairs of option and value. An empty value counts as absent.
   *
   * @param traces directory of the public traces, for absent options
   */
  static FgdArguments parse(Path traces, String... args) {
    Path nodes = traces.resolve("alibaba-gpu-v2023").resolve(NODES);
    List<Path> pods = List.of();
    int seeds = 10;
    boolean own = false;
    if (args.length % 2 != 0) {
      throw new BadInput("expected pairs of option and value");
    }
    for (int i = 0; i < args.length; i += 2) {
      String value = args[i + 1];
      switch (args[i]) {
        case "--nodes" -> nodes = value.isBlank() ? nodes : Path.of(value);
        case "--pods" -> pods = value.isBlank() ? pods : List.of(Path.of(value));
        case "--seeds" -> seeds = value.isBlank() ? seeds : seeds(value);
        case "--own" -> own = "1".equals(value);
        default -> throw new BadInput(args[i] + ": expected --nodes, --pods, --seeds or --own");
      }
    }
    boolean all = pods.isEmpty();
    return new FgdArguments(
        nodes, all ? lists(traces.resolve("alibaba-gpu-v2023")) : pods, seeds, all, own, traces);
  }

  private static int seeds(String text) {
    try {
      return PodList.within(text, 1, MOST_SEEDS);
    } catch (IllegalArgumentException e) {
      throw new BadInput(
          "SEEDS: expected a number, 1 to " + MOST_SEEDS + ", found \"" + text + "\"", e);
    }
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
