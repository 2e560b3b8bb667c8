package dev.fairlead.kernel.lifecycle;

import dev.fairlead.care.campaign.CampaignLifecycle;
import dev.fairlead.data.transfer.Transfer;
import dev.fairlead.data.volume.Volume;
import dev.fairlead.fleet.cluster.ClusterLifecycle;
import dev.fairlead.fleet.node.NodeLifecycle;
import dev.fairlead.fleet.node.gpu.GpuLifecycle;
import dev.fairlead.fleet.operation.OperationLifecycle;
import dev.fairlead.work.attempt.AttemptLifecycle;
import dev.fairlead.work.job.JobLifecycle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Writes the section "State machines" of {@code docs/reference/events.md} from the transition
 * tables and the comments of the states.
 */
public final class StateMachineDocs {
  private static final Pattern VALUE =
      Pattern.compile("/\\*\\*(.*?)\\*/\\s+([A-Z_]+)[,;\\s]", Pattern.DOTALL);
  private static final String HEAD =
      """

      ## State machines

      Generated from the transition tables by `make docs`; do not edit below. A pair of state and event without a row
      is refused: a late or repeated event changes nothing. A terminal state has no way out.
      """;

  private final Path root;
  private final StringBuilder text = new StringBuilder();

  private StateMachineDocs(Path root) {
    this.root = root;
  }

  /** The first argument is the root of the work tree, the current directory if absent. */
  public static void main(String[] arguments) throws IOException {
    Path root = Path.of(arguments.length == 0 ? "." : arguments[0]);
    Files.writeString(file(root), text(root));
  }

  public static Path file(Path root) {
    return root.resolve("docs/reference/events.md");
  }

  /** The expected text of the file: the page up to the section, and the generated section. */
  public static String text(Path root) throws IOException {
    StateMachineDocs docs = new StateMachineDocs(root);
    String page = Files.readString(file(root));
    int section = page.indexOf(HEAD.substring(0, HEAD.indexOf("\n\n")));
    docs.text.append(section < 0 ? page : page.substring(0, section)).append(HEAD);
    docs.machine("Job, and element of an array", "work/job/JobState", JobLifecycle.TABLE);
    docs.machine("Attempt", "work/attempt/AttemptState", AttemptLifecycle.TABLE);
    docs.machine("Cluster", "fleet/cluster/ClusterState", ClusterLifecycle.TABLE);
    docs.machine("Node", "fleet/node/NodeState", NodeLifecycle.TABLE);
    docs.machine("GPU", "fleet/node/gpu/GpuState", GpuLifecycle.TABLE);
    docs.machine("Operation", "fleet/operation/OperationState", OperationLifecycle.TABLE);
    docs.machine("Campaign", "care/campaign/CampaignState", CampaignLifecycle.TABLE);
    docs.machine("Volume", "data/volume/VolumeState", Volume.TABLE);
    docs.machine("Transfer of a volume", "data/transfer/TransferPhase", Transfer.TABLE);
    return docs.text.toString();
  }

  private <S extends Enum<S>, E extends Enum<E>> void machine(
      String title, String source, TransitionTable<S, E> table) {
    text.append("\n### ").append(title).append("\n\n");
    states(source, table);
    text.append("\n| event | from | to |\n| --- | --- | --- |\n");
    for (E event : table.events()) {
      targets(table, event).forEach((to, from) -> row(code(event.name()), code(from), code(to)));
    }
  }

  private <S extends Enum<S>, E extends Enum<E>> void states(
      String source, TransitionTable<S, E> table) {
    Map<String, String> comments = comments(source);
    text.append("| state | | moves out on |\n| --- | --- | --- |\n");
    for (S state : table.states()) {
      String out =
          List.of(table.events()).stream()
              .filter(event -> table.next(state, event).isPresent())
              .map(Enum::name)
              .collect(Collectors.joining(", "));
      row(
          code(state.name()),
          comments.getOrDefault(state.name(), ""),
          out.isEmpty() ? "-" : code(out));
    }
  }

  /** From-states of the event by the state they lead to. */
  private static <S extends Enum<S>, E extends Enum<E>> Map<String, String> targets(
      TransitionTable<S, E> table, E event) {
    Map<String, String> targets = new TreeMap<>();
    for (S state : table.states()) {
      table
          .next(state, event)
          .ifPresent(to -> targets.merge(to.name(), state.name(), (a, b) -> a + ", " + b));
    }
    return targets;
  }

  private Map<String, String> comments(String source) {
    try {
      String java =
          Files.readString(root.resolve("domain/src/main/java/dev/fairlead/" + source + ".java"));
      Map<String, String> comments = new TreeMap<>();
      Matcher value = VALUE.matcher(java.substring(java.indexOf('{')));
      while (value.find()) {
        comments.put(value.group(2), value.group(1).replaceAll("\\s*\\*?\\s+", " ").strip());
      }
      return comments;
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private void row(String... cells) {
    text.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }

  private static String code(String names) {
    return "`" + names.replace(", ", "`, `") + "`";
  }
}
