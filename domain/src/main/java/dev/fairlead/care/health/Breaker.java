package dev.fairlead.care.health;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Stops quarantines when too many nodes of a cluster, of a pool or of the fleet have one: then the
 * monitor or the table is more likely at fault than the machines. Never stops a recovery.
 *
 * @param percent of the nodes of the scope that Fairlead may isolate, 1..100
 * @param least nodes that it may isolate in any case, from 1
 * @param nodes that it may isolate at most, from {@code least}
 */
public record Breaker(Scope scope, int percent, int least, int nodes) {
  /** Of what the nodes are counted. */
  public enum Scope {
    /** Its nodes with GPUs, and those without apart. */
    CLUSTER,
    /** Its nodes with GPUs, in all clusters. */
    POOL,
    /** All nodes with GPUs. */
    FLEET
  }

  private static final int WHOLE = 100;
  private static final int COLUMNS = 4;
  private static final Map<Scope, Breaker> CURRENT = parse(read("/breakers.csv"));

  public Breaker {
    if (percent < 1 || percent > WHOLE || least < 1 || nodes < least) {
      throw new IllegalArgumentException("no breaker: " + scope + " " + percent + " " + least);
    }
  }

  /** That of this version of Fairlead. */
  public static Breaker of(Scope scope) {
    return CURRENT.getOrDefault(scope, new Breaker(scope, 1, 1, 1));
  }

  private static String read(String resource) {
    try (InputStream file = Breaker.class.getResourceAsStream(resource)) {
      if (file == null) {
        throw new IllegalStateException("no resource " + resource);
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /**
   * Reads comma-separated rows. Lines with # are comments, then the names of the columns.
   *
   * @throws IllegalArgumentException for a row that is none, and when a scope has no row or two
   */
  static Map<Scope, Breaker> parse(String text) {
    Map<Scope, Breaker> breakers = new EnumMap<>(Scope.class);
    List<String> rows =
        text.lines().filter(l -> !l.startsWith("#") && !l.isBlank()).skip(1).toList();
    for (String row : rows) {
      String[] cells = row.split(",", -1);
      if (cells.length != COLUMNS) {
        throw new IllegalArgumentException(row + " has " + cells.length + " cells");
      }
      Scope scope = Scope.valueOf(cells[0]);
      breakers.put(
          scope,
          new Breaker(
              scope,
              Integer.parseInt(cells[1]),
              Integer.parseInt(cells[2]),
              Integer.parseInt(cells[3])));
    }
    if (breakers.size() != Scope.values().length || rows.size() != breakers.size()) {
      throw new IllegalArgumentException("not one row for each scope");
    }
    return breakers;
  }

  /** How many nodes may be isolated of so many of their kind. */
  public int most(int all) {
    return Math.min(nodes, Math.max(least, (int) ((long) all * percent / WHOLE)));
  }

  public boolean stops(int isolated, int all) {
    return isolated >= most(all);
  }

  /**
   * What is shown of a fault that isolated nothing.
   *
   * @param kind of nodes, in words: {@code GPU nodes of pool research}
   */
  public String text(int isolated, int all, String kind) {
    return "not isolated: %d of %d %s are quarantined, and at most %d may be (%d percent, %d to %d nodes). Quarantine it by hand, or release others."
        .formatted(isolated, all, kind, most(all), percent, least, nodes);
  }
}
