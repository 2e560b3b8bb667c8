package dev.fairlead.kernel.body;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the known name that the caller probably meant. */
public final class SpellingSuggestion {
  private static final int LONGEST = 64;
  private static final int LEAST_BEGINNING = 3;

  private SpellingSuggestion() {}

  /**
   * Compares by edit distance without regard to case, at most a third of the longer name (or two,
   * but no more than half of it), ties by name. If no name is that near, returns the first that
   * begins with the given text.
   */
  public static Optional<String> to(String given, Collection<String> known) {
    if (given.length() > LONGEST) {
      return Optional.empty();
    }
    Optional<String> near = byDistance(given, known);
    return near.isPresent() || given.length() < LEAST_BEGINNING
        ? near
        : known.stream().filter(name -> name.startsWith(given)).sorted().findFirst();
  }

  private static Optional<String> byDistance(String given, Collection<String> known) {
    return known.stream()
        .filter(name -> distance(given, name) <= most(Math.max(given.length(), name.length())))
        .min(
            Comparator.comparingInt((String name) -> distance(given, name))
                .thenComparing(Comparator.naturalOrder()));
  }

  private static int most(int longer) {
    return Math.min(longer / 2, Math.max(2, longer / 3));
  }

  /**
   * Number of edits of the lower-case texts: an inserted, deleted or replaced character, or two
   * swapped neighbours.
   */
  private static int distance(String one, String other) {
    String a = one.toLowerCase(Locale.ROOT);
    String b = other.toLowerCase(Locale.ROOT);
    int[][] edits = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        edits[i][j] = i == 0 || j == 0 ? i + j : fewest(edits, a, b, i, j);
      }
    }
    return edits[a.length()][b.length()];
  }

  private static int fewest(int[][] edits, String a, String b, int i, int j) {
    char x = a.charAt(i - 1);
    char y = b.charAt(j - 1);
    int change = edits[i - 1][j - 1] + (x == y ? 0 : 1);
    int fewest = Math.min(change, Math.min(edits[i - 1][j], edits[i][j - 1]) + 1);
    boolean swapped = i > 1 && j > 1 && x == b.charAt(j - 2) && y == a.charAt(i - 2);
    return swapped ? Math.min(fewest, edits[i - 2][j - 2] + 1) : fewest;
  }
}
