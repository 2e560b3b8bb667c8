package dev.fairlead.fleet.node;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The number of nodes of a pool that are reserved as spares: {@code count} of each {@code per}
 * nodes, rounded down.
 *
 * @param count from 0 to {@code per}
 * @param per from 1 to {@link #MOST}
 */
public record Spares(int count, int per) {
  /** Maximum value of both numbers. */
  public static final int MOST = 100_000;

  /** No node is reserved. */
  public static final Spares NONE = new Spares(0, 1);

  private static final Pattern TEXT = Pattern.compile("(\\d{1,6}) per (\\d{1,6})");

  public Spares {
    if (count < 0 || per < 1 || per > MOST || count > per) {
      throw new IllegalArgumentException("no spares: " + count + " per " + per);
    }
  }

  /**
   * Parses the form of {@link #text}, such as {@code 1 per 32}. The result is empty for other text.
   */
  public static Optional<Spares> parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      return Optional.empty();
    }
    int count = Integer.parseInt(parts.group(1));
    int per = Integer.parseInt(parts.group(2));
    return per >= 1 && per <= MOST && count <= per
        ? Optional.of(new Spares(count, per))
        : Optional.empty();
  }

  public String text() {
    return count + " per " + per;
  }

  /** Returns the number of spares among this many nodes. */
  public int of(int nodes) {
    return (int) ((long) nodes * count / per);
  }

  public boolean none() {
    return count == 0;
  }
}
