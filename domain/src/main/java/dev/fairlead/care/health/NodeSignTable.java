package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeCondition;
import dev.fairlead.fleet.node.Taint;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of conditions and taints of nodes, as data. A sign that is not in the table has no
 * meaning.
 */
public final class NodeSignTable {
  /** The table of this version of Fairlead. */
  public static final NodeSignTable CURRENT = read("/node-signs.csv");

  private static final String CONDITION = "condition";
  private static final int COLUMNS = 9;

  private final Map<String, NodeSign> conditions = new TreeMap<>();
  private final Map<String, NodeSign> taints = new TreeMap<>();

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
    NodeSign sign =
        new NodeSign(
            cells[1],
            cells[2],
            is(cells[3], "leaving", "node"),
            RepairStep.valueOf(cells[4]),
            is(cells[5], "yes", "no"),
            cells[6].isEmpty() ? null : Duration.ofSeconds(Long.parseLong(cells[6])),
            cells[7]);
    Map<String, NodeSign> kind = is(cells[0], CONDITION, "taint") ? conditions : taints;
    if (kind.put(sign.key(), sign) != null) {
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
   * Returns the meaning of the condition. Empty for a good condition, and for a condition without a
   * row in the table.
   */
  public Optional<NodeSign> find(NodeCondition condition) {
    return Optional.ofNullable(conditions.get(condition.type()))
        .filter(sign -> sign.status().equals(condition.status()));
  }

  /** Returns the conditions that report a fault of the machine, by type. */
  public List<NodeCondition> faults(List<NodeCondition> shown) {
    return shown.stream()
        .filter(c -> find(c).filter(sign -> !sign.leaving()).isPresent())
        .sorted((a, b) -> a.type().compareTo(b.type()))
        .toList();
  }

  /**
   * Returns the taints, and {@link Taint#LEAVING} if one of them or a condition announces the
   * removal of the machine. Its value is the time if it is known.
   *
   * @param since when a taint was added, null if the cluster does not report it
   */
  public List<Taint> withLeaving(
      List<Taint> shown, Map<Taint, Instant> since, List<NodeCondition> status) {
    List<Taint> all = new ArrayList<>(shown);
    Stream<Taint> byTaint =
        shown.stream()
            .flatMap(taint ->
                Stream.ofNullable(taints.get(taint.key()))
                    .map(sign -> leaving(sign, since.get(taint))));
    Stream<Taint> byCondition =
        status.stream()
            .flatMap(
                c -> find(c).filter(NodeSign::leaving).stream().map(s -> leaving(s, c.since())));
    Stream.concat(byTaint, byCondition).findFirst().ifPresent(all::add);
    return all;
  }

  private static Taint leaving(NodeSign sign, @Nullable Instant since) {
    Duration notice = sign.notice();
    String end = notice == null || since == null ? "" : since.plus(notice).toString();
    return new Taint(Taint.LEAVING, end, "NoSchedule");
  }

  /** Returns whether the cause is a condition that ends when its node no longer shows it. */
  boolean clears(String cause) {
    return conditions.values().stream().anyMatch(sign -> sign.clears() && sign.caused(cause));
  }
}
