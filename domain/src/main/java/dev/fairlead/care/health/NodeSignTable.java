package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeCondition;
import dev.fairlead.fleet.node.NodeNotice;
import dev.fairlead.fleet.node.Taint;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The meaning of conditions, taints and labels of nodes, as data. A sign that is not in the table
 * has no meaning.
 */
public final class NodeSignTable {
  /** The table of this version of Fairlead. */
  public static final NodeSignTable CURRENT = read("/node-signs.csv");

  private static final int COLUMNS = 11;

  private final Map<String, List<NodeSign>> conditions = new TreeMap<>();
  private final Map<String, List<NodeSign>> taints = new TreeMap<>();
  private final Map<String, NodeSign> labels = new TreeMap<>();

  private NodeSignTable() {}

  private static NodeSignTable read(String resource) {
    try (InputStream file = NodeSignTable.class.getResourceAsStream(resource)) {
      if (file == null) {
        throw new IllegalStateException("no resource " + resource);
      }
      return parse(new String(file.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /**
   * Parses comma-separated rows without quotes. Lines with # are comments. The first other line
   * contains the column names.
   *
   * @throws IllegalArgumentException for a row of another length, a word outside its set or a sign
   *     with two rows
   */
  static NodeSignTable parse(String text) {
    NodeSignTable table = new NodeSignTable();
    text.lines().filter(l -> !l.startsWith("#") && !l.isBlank()).skip(1).forEach(table::add);
    return table;
  }

  private void add(String line) {
    String[] cells = line.split(",", -1);
    if (cells.length != COLUMNS) {
      throw new IllegalArgumentException(line + " has " + cells.length + " cells");
    }
    boolean leaving = is(cells[3], "leaving", "node");
    NodeNotice.Kind event = leaving ? NodeNotice.Kind.valueOf(cells[6]) : null;
    Duration notice = event == null ? Duration.ZERO : event.within();
    String[] status = cells[2].split(":", 2);
    NodeSign sign =
        NodeSignBuilder.builder()
            .key(cells[1])
            .status(status[0])
            .word(status.length > 1 ? status[1] : "")
            .event(event)
            .step(RepairStep.valueOf(cells[4]))
            .clears(is(cells[5], "yes", "no"))
            .time(cells[7])
            .notice(cells[8].isEmpty() ? notice : Duration.ofSeconds(Long.parseLong(cells[8])))
            .means(cells[9])
            .build();
    put(cells[0], sign);
  }

  private void put(String kind, NodeSign sign) {
    boolean twice =
        switch (kind) {
          case "taint" -> {
            List<NodeSign> rows = taints.computeIfAbsent(sign.key(), key -> new ArrayList<>());
            boolean known = rows.stream().anyMatch(row -> row.status().equals(sign.status()));
            rows.add(sign);
            yield known;
          }
          case "label" -> labels.put(sign.key(), sign) != null;
          case "condition" -> {
            List<NodeSign> rows = conditions.computeIfAbsent(sign.key(), key -> new ArrayList<>());
            boolean known = rows.stream().anyMatch(row -> row.word().equals(sign.word()));
            rows.add(sign);
            yield known;
          }
          default -> throw new IllegalArgumentException(kind + " is not a kind of sign");
        };
    if (twice) {
      throw new IllegalArgumentException(sign.key() + " has two rows");
    }
  }

  private static boolean is(String cell, String one, String other) {
    if (!cell.equals(one) && !cell.equals(other)) {
      throw new IllegalArgumentException(cell + " is neither " + one + " nor " + other);
    }
    return cell.equals(one);
  }

  /**
   * Returns the meaning of the condition. The result is empty for a good condition, and for a
   * condition without a row in the table.
   */
  public Optional<NodeSign> find(NodeCondition condition) {
    return conditions.getOrDefault(condition.type(), List.of()).stream()
        .filter(sign -> sign.status().equals(condition.status()))
        .filter(sign -> sign.word().isEmpty() || sign.word().equals(condition.reason()))
        .max(Comparator.comparing(NodeSign::word));
  }

  /**
   * Returns the table's keyword in the reason or message of a condition of that type, or the reason
   * if neither contains a keyword.
   */
  public String reason(String type, String reason, String message) {
    return conditions.getOrDefault(type, List.of()).stream()
        .map(NodeSign::word)
        .filter(word -> !word.isEmpty() && (reason.contains(word) || message.contains(word)))
        .findFirst()
        .orElse(reason);
  }

  /** Returns the conditions that report a fault of the machine, by type. */
  public List<NodeCondition> faults(List<NodeCondition> shown) {
    return shown.stream()
        .filter(c -> find(c).filter(sign -> !sign.leaving()).isPresent())
        .sorted((a, b) -> a.type().compareTo(b.type()))
        .toList();
  }

  /**
   * Returns the taints, the soonest {@link NodeNotice} without a deadline and the soonest with a
   * deadline of the taints, labels and conditions, and {@link Taint#LEAVING} with them.
   *
   * @param since time when each taint was added, if the cluster reports it
   */
  public List<Taint> withNotice(
      List<Taint> shown,
      Map<Taint, Instant> since,
      Map<String, String> shownLabels,
      List<NodeCondition> status) {
    Stream<NodeNotice> byTaint =
        shown.stream()
            .flatMap(taint ->
                taints.getOrDefault(taint.key(), List.of()).stream()
                    .filter(s -> s.status().isEmpty() || shownLabels.containsKey(s.status()))
                    .max(Comparator.comparing(NodeSign::status))
                    .stream()
                    .map(sign -> sign.notice(taint.value(), since.get(taint), shownLabels)));
    Stream<NodeNotice> byLabel =
        labels.values().stream()
            .flatMap(sign ->
                Stream.ofNullable(shownLabels.get(sign.key()))
                    .filter(sign::readable)
                    .map(value -> sign.notice(value, null, shownLabels)));
    Stream<NodeNotice> byCondition =
        status.stream()
            .flatMap(c ->
                find(c).filter(NodeSign::leaving).stream()
                    .map(sign -> sign.notice("", c.since(), shownLabels)));
    List<NodeNotice> notices =
        Stream.of(byTaint, byLabel, byCondition)
            .flatMap(each -> each)
            .sorted(NodeNotice.SOONEST)
            .toList();
    List<Taint> all = new ArrayList<>(NodeNotice.without(shown));
    Stream.of(true, false) // only the clock of the reader decides which of these two is sooner
        .flatMap(open -> notices.stream().filter(n -> (n.deadline() == null) == open).limit(1))
        .forEach(notice -> all.add(notice.taint()));
    notices.stream().findFirst().ifPresent(notice -> all.add(notice.leaving()));
    return all;
  }

  /** Returns whether the cause is a condition that ends when its node no longer shows it. */
  boolean clears(String cause) {
    return conditions.values().stream()
        .flatMap(List::stream)
        .anyMatch(sign -> sign.clears() && sign.caused(cause));
  }
}
