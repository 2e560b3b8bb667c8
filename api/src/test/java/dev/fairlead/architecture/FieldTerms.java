package dev.fairlead.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Permitted words of a public type's name: words that the glossary explains or lists as a term of
 * another system, and terms of the field in {@code docs/contributing/english.md}, each under its
 * source.
 */
final class FieldTerms {

  private static final Pattern NO_LETTER = Pattern.compile("[^a-z0-9]+");

  private final Set<String> words = new TreeSet<>();

  static FieldTerms read(Path root) {
    try {
      return of(
          Files.readString(root.resolve("docs/reference/glossary.md")),
          Files.readString(root.resolve("docs/contributing/english.md")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads the first and third column of the glossary, and the second below the field's terms. */
  static FieldTerms of(String glossary, String field) {
    FieldTerms known = new FieldTerms();
    glossary.lines().forEach(line -> known.add(line, 1, 3));
    field
        .lines()
        .dropWhile(line -> !line.equals("## Terms of the field"))
        .forEach(line -> known.add(line, 2));
    return known;
  }

  /** In upper or lower case, singular or plural. */
  boolean has(String word) {
    String lower = word.toLowerCase(Locale.ROOT);
    return words.contains(lower)
        || ends(lower, "s", "")
        || ends(lower, "es", "")
        || ends(lower, "ies", "y");
  }

  private boolean ends(String word, String ending, String instead) {
    return word.endsWith(ending)
        && words.contains(word.substring(0, word.length() - ending.length()) + instead);
  }

  private void add(String line, int... columns) {
    String[] cells = line.split("\\|", -1);
    for (int column : columns) {
      if (line.startsWith("| ") && column < cells.length) {
        NO_LETTER.splitAsStream(cells[column].toLowerCase(Locale.ROOT)).forEach(words::add);
      }
    }
  }
}
