package dev.fairlead.care.health;

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
 * The meaning and isolation scope of each driver code (XID) and DCGM code, as versioned data.
 * Operators change the shipped rows individually.
 */
public final class XidTable {
  /** Numbers from here on represent DCGM codes, which have names. All XIDs are smaller. */
  public static final int DCGM = 100_000;

  /** Represents all DCGM codes that the table lacks. */
  public static final int OTHER_DCGM = DCGM;

  /** Prefix of all names of DCGM codes. */
  public static final String DCGM_PREFIX = "DCGM_";

  /** The table of this version of Fairlead, without changes by operators. */
  public static final XidTable SHIPPED = read("/xid.csv").and(read("/dcgm.csv"));

  private static final String OR = "[|]";
  private static final String ON_REPEAT = "-on-repeat";
  private static final String VERSION = "# Version ";
  private static final int COLUMNS = 8;
  private static final int DCGM_COLUMNS = COLUMNS + 1;

  private final int version;
  private final SortedMap<Integer, Xid> codes;
  private final SortedMap<Integer, String> names;
  private final SortedMap<String, Integer> numbers;

  private XidTable(
      int version,
      SortedMap<Integer, Xid> codes,
      SortedMap<Integer, String> names,
      SortedMap<String, Integer> numbers) {
    this.version = version;
    this.codes = codes;
    this.names = names;
    this.numbers = numbers;
  }

  /** Merges two tables, which have one version and no code in common. */
  private XidTable and(XidTable other) {
    if (other.version != version) {
      throw new IllegalArgumentException("files of versions " + version + " and " + other.version);
    }
    SortedMap<Integer, Xid> all = new TreeMap<>(codes);
    all.putAll(other.codes);
    SortedMap<String, Integer> both = new TreeMap<>(numbers);
    both.putAll(other.numbers);
    return new XidTable(version, all, other.names, both);
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
   * Parses comma-separated rows. A comma inside double quotes is text. The first line is {@code #
   * Version n.}, other lines with # are comments, and the next line contains the column names. Rows
   * of DCGM begin with the name of the code, followed after a bar by its names in other versions.
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
    SortedMap<Integer, String> names = new TreeMap<>();
    SortedMap<String, Integer> numbers = new TreeMap<>();
    lines.stream()
        .filter(l -> !l.startsWith("#") && !l.isBlank())
        .skip(1)
        .forEach(line -> {
          List<String> cells = cells(line);
          boolean named = cells.size() == DCGM_COLUMNS;
          Xid xid = row(named ? cells.subList(1, DCGM_COLUMNS) : cells);
          if (named != (xid.code() >= DCGM) || codes.put(xid.code(), xid) != null) {
            throw new IllegalArgumentException(
                xid.code() + " has two rows, or is a DCGM code without a name: " + line);
          }
          List<String> called =
              named ? List.of(cells.getFirst().split(OR)) : List.of(Integer.toString(xid.code()));
          if (named) {
            names.put(xid.code(), called.getFirst());
          }
          for (String name : called) {
            if (numbers.put(name, xid.code()) != null) {
              throw new IllegalArgumentException(name + " has two rows");
            }
          }
        });
    return new XidTable(
        Integer.parseInt(head.substring(VERSION.length(), head.indexOf('.'))),
        codes,
        names,
        numbers);
  }

  /**
   * Returns the table with the rows that operators set. Rows of codes that it lacks are ignored.
   */
  public XidTable with(Collection<HealthRule> set) {
    List<HealthRule> other =
        set.stream().filter(r -> !r.shipped() && codes.containsKey(r.xid().code())).toList();
    if (other.isEmpty()) {
      return this;
    }
    SortedMap<Integer, Xid> all = new TreeMap<>(codes);
    other.forEach(rule -> all.put(rule.xid().code(), rule.xid()));
    return new XidTable(version, all, names, numbers);
  }

  /** Increases with each change of the shipped data. */
  public int version() {
    return version;
  }

  public Optional<Xid> find(int code) {
    return Optional.ofNullable(codes.get(code));
  }

  /** Returns the row of an event's code, refined by the event's message. */
  public Optional<Xid> find(HealthEvent event) {
    return find(event.xid()).map(xid -> xid.saying(event.message()));
  }

  /**
   * Returns the number of a code.
   *
   * @param name name of a DCGM code, or an XID in digits
   * @return empty for a code that is not in the shipped table
   */
  public static Optional<Integer> number(String name) {
    return Optional.ofNullable(SHIPPED.numbers.get(name));
  }

  /** Returns {@code 79}, or the name of a DCGM code. */
  public static String symbol(int code) {
    String name = SHIPPED.names.get(code);
    return name == null ? Integer.toString(code) : name;
  }

  /** Returns {@code XID 79}, or the name of a DCGM code. */
  static String called(int code) {
    String other = code == OTHER_DCGM ? "a DCGM code" : "XID " + code;
    return SHIPPED.names.getOrDefault(code, other);
  }

  /** Returns the rows by code. */
  public List<Xid> all() {
    return List.copyOf(codes.values());
  }

  private static Xid row(List<String> cells) {
    if (cells.size() != COLUMNS) {
      throw new IllegalArgumentException(cells + " has " + cells.size() + " cells, not " + COLUMNS);
    }
    String scope = cells.get(4);
    boolean onRepeat = scope.endsWith(ON_REPEAT);
    return XidBuilder.builder()
        .code(Integer.parseInt(cells.get(0)))
        .name(cells.get(1))
        .bucket(cells.get(2))
        .fatal(yes(cells.get(3), "fatal", "nonfatal"))
        .scope(
            FaultScope.valueOf(
                (onRepeat ? scope.substring(0, scope.length() - ON_REPEAT.length()) : scope)
                    .toUpperCase(Locale.ROOT)))
        .onRepeat(onRepeat)
        .step(RepairStep.valueOf(cells.get(5)))
        .counted(yes(cells.get(6), "yes", "no"))
        .advice(cells.get(7))
        .build();
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
