package dev.fairlead.care.health.dcgm;

import dev.fairlead.care.health.XidTable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The series that Fairlead reads, as data. Every GPU has the series of the first rule. */
public final class SeriesTable {
  /** The table of this version of Fairlead. */
  public static final SeriesTable CURRENT = read("/dcgm-series.csv");

  private static final int COLUMNS = 6;
  private static final String OR = "[|]";

  private final List<SeriesRule> rules;
  private final SortedMap<String, SeriesRule> byName = new TreeMap<>();

  private SeriesTable(List<SeriesRule> rules) {
    this.rules = List.copyOf(rules);
    for (SeriesRule rule : rules) {
      for (String name : rule.names()) {
        if (byName.put(name, rule) != null) {
          throw new IllegalArgumentException(name + " has two rows");
        }
      }
    }
  }

  private static SeriesTable read(String resource) {
    try (InputStream file = SeriesTable.class.getResourceAsStream(resource)) {
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
   * @throws IllegalArgumentException for a row of another length, a series with two rows, a code
   *     that the fault table lacks or a word outside its set
   */
  static SeriesTable parse(String text) {
    List<SeriesRule> rules = new ArrayList<>();
    text.lines()
        .filter(line -> !line.startsWith("#") && !line.isBlank())
        .skip(1)
        .forEach(line -> rules.add(row(line)));
    return new SeriesTable(rules);
  }

  private static SeriesRule row(String line) {
    String[] cells = line.split(",", -1);
    if (cells.length != COLUMNS) {
      throw new IllegalArgumentException(line + " has " + cells.length + " cells");
    }
    boolean event = cells[2].equals("event");
    if (!event && !cells[2].equals("base")) {
      throw new IllegalArgumentException(cells[2] + " is neither event nor base");
    }
    Integer code =
        cells[1].equals("xid")
            ? null
            : XidTable.number(cells[1])
                .orElseThrow(
                    () -> new IllegalArgumentException("the fault table has no " + cells[1]));
    return new SeriesRule(
        List.of(cells[0].split(OR)),
        code,
        event,
        Long.parseLong(cells[3]),
        cells[4].isEmpty() ? 0 : Long.parseLong(cells[4]),
        Duration.ofMinutes(Long.parseLong(cells[5])));
  }

  public SeriesRule ofEveryGpu() {
    return rules.getFirst();
  }

  public List<SeriesRule> rules() {
    return rules;
  }

  /**
   * Returns the rule of a series.
   *
   * @param series any of its names
   */
  public Optional<SeriesRule> find(String series) {
    return Optional.ofNullable(byName.get(series));
  }
}
