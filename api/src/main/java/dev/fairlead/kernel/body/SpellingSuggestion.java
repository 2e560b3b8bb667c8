package dev.fairlead.kernel.body;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** The known name that somebody probably meant. */
public final class SpellingSuggestion {
  private static final int LONGEST = 64;
  private static final int LEAST_BEGINNING = 4;

  private SpellingSuggestion() {}

  /**
   * By edit distance, at most a third of the longer name (at least two), without regard to case;
   * ties by name. When none is so near, the first that begins with what was given.
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
        .filter(name ->
            distance(given, name) <= Math.max(2, Math.max(given.length(), name.length()) / 3))
        .filter(name -> distance(given, name) < Math.max(given.length(), name.length()))
        .min(
            Comparator.comparingInt((String name) -> distance(given, name))
                .thenComparing(Comparator.naturalOrder()));
  }

  /**
   * Edits of the lower-case texts: a character more, less or another, or two neighbours swapped.
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
