package dev.fairlead.care.health;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Stops quarantines if too many nodes of a cluster, a pool or the fleet are quarantined. The
 * monitor or the fault table is then more likely wrong than the machines. Recoveries are never
 * stopped.
 *
 * @param percent percentage of the nodes in the scope that Fairlead may isolate, 1..100
 * @param least number of nodes that it may always isolate, from 1
 * @param nodes maximum number of nodes that it may isolate, from {@code least}
 */
public record Breaker(Scope scope, int percent, int least, int nodes) {
  /** The set of nodes that is counted. */
  public enum Scope {
    /** The nodes of a cluster, with separate counts for nodes with and without GPUs. */
    CLUSTER,
    /** The nodes of a pool with GPUs, in all clusters. */
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

  /** Returns the breaker of this version of Fairlead. */
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
   * Parses comma-separated rows. Lines with # are comments. The first other line contains the
   * column names.
   *
   * @throws IllegalArgumentException for an invalid row, and if a scope has no row or two
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

  /** Returns how many of this number of nodes may be isolated. */
  public int most(int all) {
    return Math.min(nodes, Math.max(least, (int) ((long) all * percent / WHOLE)));
  }

  public boolean stops(int isolated, int all) {
    return isolated >= most(all);
  }

  /**
   * Explains why a fault caused no isolation.
   *
   * @param kind kind of nodes, as text: {@code GPU nodes of pool research}
   */
  public String text(int isolated, int all, String kind) {
    return ("not isolated: %d of %d %s are quarantined, and the limit is %d (%d percent, %d to %d"
            + " nodes). Quarantine it by hand, or release other nodes.")
        .formatted(isolated, all, kind, most(all), percent, least, nodes);
  }
}
