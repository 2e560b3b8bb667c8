package dev.fairlead.verify;

import dev.fairlead.kernel.body.SpellingSuggestion;
import dev.fairlead.kernel.resources.DurationText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Arguments of a program: {@code --name value}, or {@code --name} alone for a switch. An empty
 * value counts as absent, because make passes every variable. Errors name the variable of make.
 */
public final class Arguments {
  private static final String SWITCH = "1";
  private final SortedMap<String, String> given = new TreeMap<>();

  private Arguments() {}

  /**
   * Reads the arguments.
   *
   * @param names without the two hyphens
   * @throws BadInput for a name that is not in the list, and for a value without a name
   */
  public static Arguments of(Collection<String> names, String... args) {
    Arguments arguments = new Arguments();
    for (int i = 0; i < args.length; i++) {
      String name = args[i].startsWith("--") ? args[i].substring(2) : "";
      if (!names.contains(name)) {
        String expected = names.isEmpty() ? "no option" : "some of --" + String.join(" --", names);
        throw new BadInput(
            "expected %s, found \"%s\"%s"
                .formatted(
                    expected,
                    args[i],
                    SpellingSuggestion.to(name, names)
                        .map(near -> ". Did you mean --" + near + "?")
                        .orElse("")));
      }
      boolean alone = i + 1 == args.length || args[i + 1].startsWith("--");
      arguments.given.put(name, alone ? SWITCH : args[++i].strip());
    }
    return arguments;
  }

  /**
   * Returns whether a switch is given.
   *
   * @throws BadInput for a value other than {@code 1}
   */
  public boolean has(String name) {
    if (!text(name).isEmpty() && !text(name).equals(SWITCH)) {
      throw wrong(name, "1 or no value");
    }
    return !text(name).isEmpty();
  }

  /** Returns the value, empty when it is absent. */
  public String text(String name) {
    return given.getOrDefault(name, "");
  }

  public Optional<Path> path(String name) {
    return text(name).isEmpty() ? Optional.empty() : Optional.of(Path.of(text(name)));
  }

  /** Returns the parts between commas, all values when the argument is absent. */
  public List<String> some(String name, List<String> values) {
    List<String> parts = text(name).isEmpty() ? values : List.of(text(name).split(","));
    if (!values.containsAll(parts)) {
      throw wrong(name, "some of " + values);
    }
    return parts;
  }

  public int number(String name, int absent, int least, int most) {
    return (int) number(name, (long) absent, least, most);
  }

  /**
   * Returns a whole number.
   *
   * @throws BadInput for another text, and for a number out of the range
   */
  public long number(String name, long absent, long least, long most) {
    String expected = "a whole number, %d to %d".formatted(least, most);
    try {
      long number = text(name).isEmpty() ? absent : Long.parseLong(text(name));
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw wrong(name, expected);
    }
    throw wrong(name, expected);
  }

  /**
   * Returns a multiple of a step.
   *
   * @throws BadInput for another text, and for a number out of the range
   */
  public int multiple(String name, int absent, int step, int most) {
    int number = number(name, absent, step, most);
    if (number % step != 0) {
      throw wrong(name, "a multiple of %d up to %d".formatted(step, most));
    }
    return number;
  }

  /**
   * Returns a number.
   *
   * @throws BadInput for another text, and for a number out of the range
   */
  public double fraction(String name, double absent, double least, double most) {
    String expected = "a number, %s to %s".formatted(least, most);
    try {
      double number = text(name).isEmpty() ? absent : Double.parseDouble(text(name));
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw wrong(name, expected);
    }
    throw wrong(name, expected);
  }

  /**
   * Returns a positive duration.
   *
   * @throws BadInput for another text
   */
  public Duration duration(String name, Duration absent) {
    return text(name).isEmpty()
        ? absent
        : DurationText.parse(text(name))
            .filter(Duration::isPositive)
            .orElseThrow(() -> wrong(name, "a duration such as 20s"));
  }

  /** Returns the error for a value that the program does not accept. */
  public BadInput wrong(String name, String expected) {
    return new BadInput(
        "%s: expected %s, found \"%s\""
            .formatted(name.replace('-', '_').toUpperCase(Locale.ROOT), expected, text(name)));
  }
}
