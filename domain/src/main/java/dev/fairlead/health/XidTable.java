package dev.fairlead.health;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What each XID code means and takes out of use: data, with a version. What Fairlead ships is
 * changed row by row by operators.
 */
public final class XidTable {
  /** The table of this version of Fairlead, as it is until an operator changes a row. */
  public static final XidTable SHIPPED = read("/xid.csv");

  private static final String ON_REPEAT = "-on-repeat";
  private static final String VERSION = "# Version ";
  private static final int COLUMNS = 8;

  private final int version;
  private final SortedMap<Integer, Xid> codes;

  private XidTable(int version, SortedMap<Integer, Xid> codes) {
    this.version = version;
    this.codes = codes;
  }

  private static XidTable read(String resource) {
    try (InputStream file = XidTable.class.getResourceAsStream(resource)) {
      if (file == null) {
        throw new IllegalStateException("no resource " + resource);
      }
      return parse(new String(file.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /**
   * Reads comma-separated rows, a comma inside double quotes being text. The first line says {@code
   * # Version n.}, other lines with # are comments, then the names of the columns.
   *
   * @throws IllegalArgumentException for a row of another length, a word outside its set or a code
   *     with two rows
   */
  public static XidTable parse(String text) {
    List<String> lines = text.lines().toList();
    String head = lines.getFirst();
    if (!head.startsWith(VERSION) || head.indexOf('.') < 0) {
      throw new IllegalArgumentException("the first line must say: # Version n.");
    }
    SortedMap<Integer, Xid> codes = new TreeMap<>();
    lines.stream()
        .filter(l -> !l.startsWith("#") && !l.isBlank())
        .skip(1)
        .forEach(line -> {
          Xid xid = row(cells(line));
          if (codes.put(xid.code(), xid) != null) {
            throw new IllegalArgumentException("XID " + xid.code() + " has two rows");
          }
        });
    return new XidTable(
        Integer.parseInt(head.substring(VERSION.length(), head.indexOf('.'))), codes);
  }

  /**
   * The same with the rows that operators set; those of codes that it does not have are left out.
   */
  public XidTable with(Collection<HealthRule> set) {
    List<HealthRule> other =
        set.stream().filter(r -> !r.shipped() && codes.containsKey(r.xid().code())).toList();
    if (other.isEmpty()) {
      return this;
    }
    SortedMap<Integer, Xid> all = new TreeMap<>(codes);
    other.forEach(rule -> all.put(rule.xid().code(), rule.xid()));
    return new XidTable(version, all);
  }

  /** Grows with each change of the data that is shipped. */
  public int version() {
    return version;
  }

  public Optional<Xid> find(int code) {
    return Optional.ofNullable(codes.get(code));
  }

  /** By code. */
  public List<Xid> all() {
    return List.copyOf(codes.values());
  }

  private static Xid row(List<String> cells) {
    if (cells.size() != COLUMNS) {
      throw new IllegalArgumentException(cells + " has " + cells.size() + " cells, not " + COLUMNS);
    }
    String scope = cells.get(4);
    boolean onRepeat = scope.endsWith(ON_REPEAT);
    return new Xid(
        Integer.parseInt(cells.get(0)),
        cells.get(1),
        cells.get(2),
        yes(cells.get(3), "fatal", "nonfatal"),
        FaultScope.valueOf(
            (onRepeat ? scope.substring(0, scope.length() - ON_REPEAT.length()) : scope)
                .toUpperCase(Locale.ROOT)),
        onRepeat,
        RepairStep.valueOf(cells.get(5)),
        yes(cells.get(6), "yes", "no"),
        cells.get(7));
  }

  private static boolean yes(String cell, String yes, String no) {
    if (!cell.equals(yes) && !cell.equals(no)) {
      throw new IllegalArgumentException(cell + " is neither " + yes + " nor " + no);
    }
    return cell.equals(yes);
  }

  private static List<String> cells(String line) {
    List<String> cells = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        cells.add(cell.toString());
        cell.setLength(0);
      } else {
        cell.append(c);
      }
    }
    cells.add(cell.toString());
    return cells;
  }
}
