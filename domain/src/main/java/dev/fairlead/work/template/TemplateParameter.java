package dev.fairlead.work.template;

import dev.fairlead.kernel.pattern.TextPatterns;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A typed parameter of a template. Numbers are stored as text, because the history of the
 * configuration has no fractions.
 *
 * @param name letters, digits, {@code _} and {@code -}, at most 63 characters
 * @param description for users of the template, may be empty
 * @param defaultValue text of the value when a submit gives none, or null for a required parameter
 * @param minimum least number, or null for any
 * @param maximum greatest number, or null for any
 * @param maxLength maximum characters of a text, or null for {@value #LONGEST_TEXT}
 * @param pattern regular expression that the whole text matches, or null for any
 * @param values allowed texts of an enum, otherwise empty
 */
@RecordBuilder
public record TemplateParameter(
    String name,
    Type type,
    String description,
    @Nullable String defaultValue,
    @Nullable String minimum,
    @Nullable String maximum,
    @Nullable Integer maxLength,
    @Nullable String pattern,
    List<String> values) {
  /** Form of a name. */
  public static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_-]{0,62}");

  /** Maximum characters of a text. */
  public static final int LONGEST_TEXT = 4_096;

  /** Maximum number of values of an enum. */
  public static final int MOST_VALUES = 100;

  /** Maximum characters of a pattern. */
  public static final int LONGEST_PATTERN = 512;

  /** Maximum digits of a number. */
  private static final int MOST_DIGITS = 34;

  private static final String TOO_LONG = "has too many digits";

  private static final int LARGEST_EXPONENT = 308;

  /** Exponents beyond it are written as such. */
  private static final int PLAIN_EXPONENT = 24;

  /** Kinds of values. */
  public enum Type {
    STRING,
    INTEGER,
    NUMBER,
    BOOLEAN,
    ENUM
  }

  public TemplateParameter {
    values = List.copyOf(values);
  }

  /** Returns whether a submit must set a value. */
  public boolean required() {
    return defaultValue == null;
  }

  /** The typed default, or empty for a required parameter. */
  public Optional<Object> fallback() {
    return Optional.ofNullable(defaultValue).map(this::typed);
  }

  private Object typed(String text) {
    return switch (type) {
      case STRING, ENUM -> text;
      case INTEGER -> new BigInteger(text);
      case NUMBER -> new BigDecimal(text);
      case BOOLEAN -> Boolean.valueOf(text);
    };
  }

  /**
   * Checks a value of a submit. A string is never read as a number, nor a number as a string.
   *
   * @param given text, number, boolean, list, map or null
   * @return the problem, which continues the name of the parameter
   */
  public Optional<String> problem(@Nullable Object given, TextPatterns patterns) {
    return switch (type) {
      case STRING ->
          given instanceof String text
              ? problemOfText(text, patterns)
              : Optional.of("must be a text");
      case ENUM ->
          given instanceof String text && values.contains(text)
              ? Optional.empty()
              : Optional.of("must be one of " + String.join(", ", values));
      case BOOLEAN ->
          given instanceof Boolean ? Optional.empty() : Optional.of("must be true or false");
      case INTEGER ->
          number(given, true).map(this::problemOfNumber).orElse(Optional.of("must be an integer"));
      case NUMBER ->
          number(given, false).map(this::problemOfNumber).orElse(Optional.of("must be a number"));
    };
  }

  private Optional<String> problemOfNumber(BigDecimal number) {
    if (tooLong(number)) {
      return Optional.of(TOO_LONG);
    }
    boolean small = minimum != null && number.compareTo(new BigDecimal(minimum)) < 0;
    boolean large = maximum != null && number.compareTo(new BigDecimal(maximum)) > 0;
    return small || large ? Optional.of("must be " + range()) : Optional.empty();
  }

  private String range() {
    if (minimum == null) {
      return "at most " + maximum;
    }
    return maximum == null ? "at least " + minimum : "from " + minimum + " to " + maximum;
  }

  private Optional<String> problemOfText(String text, TextPatterns patterns) {
    int most = maxLength == null ? LONGEST_TEXT : maxLength;
    if (text.length() > most) {
      return Optional.of("must have at most " + most + " characters, not " + text.length());
    }
    if (pattern == null) {
      return Optional.empty();
    }
    return patterns
        .problem(pattern)
        .map(why -> "cannot be checked: pattern " + pattern + ": " + why)
        .or(() ->
            patterns.matches(pattern, text)
                ? Optional.empty()
                : Optional.of("must match " + pattern));
  }

  private static Optional<BigDecimal> number(@Nullable Object given, boolean whole) {
    return switch (given) {
      case Integer number -> Optional.of(BigDecimal.valueOf(number));
      case Long number -> Optional.of(BigDecimal.valueOf(number));
      case BigInteger number -> Optional.of(new BigDecimal(number));
      case BigDecimal number when !whole -> Optional.of(number);
      case null, default -> Optional.empty();
    };
  }

  private static boolean tooLong(BigDecimal number) {
    return number.precision() > MOST_DIGITS || Math.abs(exponent(number)) > LARGEST_EXPONENT;
  }

  /** The problem of a bound, which continues the name of its field, or null. */
  static @Nullable String problemOfBound(@Nullable String bound) {
    return bound != null && tooLong(new BigDecimal(bound)) ? TOO_LONG : null;
  }

  /** Returns whether no number is within the bounds. */
  boolean empty() {
    return minimum != null
        && maximum != null
        && new BigDecimal(minimum).compareTo(new BigDecimal(maximum)) > 0;
  }

  private static long exponent(BigDecimal number) {
    return (long) number.precision() - number.scale();
  }

  /** The text of a checked value inside a longer text. */
  public static String text(Object value) {
    if (value instanceof BigDecimal number) {
      boolean plain = Math.abs(exponent(number)) <= PLAIN_EXPONENT;
      return plain ? number.toPlainString() : number.toString();
    }
    return value.toString();
  }
}
