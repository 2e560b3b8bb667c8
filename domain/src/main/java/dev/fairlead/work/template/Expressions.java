package dev.fairlead.work.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The expressions in texts of a template: {@code ${parameters.NAME}} and no other. Any other {@code
 * ${...}} is text, such as a variable of a shell.
 */
final class Expressions {
  private static final Pattern EXPRESSION = Pattern.compile("\\$\\{\\s*parameters\\.([^{}]*)\\}");
  private static final Pattern OPEN = Pattern.compile("\\$\\{\\s*parameters\\b");

  private Expressions() {}

  /** Names of the parameters of the text, in their order. */
  static List<String> names(String text) {
    List<String> names = new ArrayList<>();
    Matcher found = EXPRESSION.matcher(text);
    while (found.find()) {
      names.add(found.group(1).strip());
    }
    return names;
  }

  /** Returns whether the text has an expression that is not complete. */
  static boolean broken(String text) {
    return OPEN.matcher(EXPRESSION.matcher(text).replaceAll("")).find();
  }

  /** The parameter of a text that consists of one expression. */
  static Optional<String> whole(String text) {
    Matcher found = EXPRESSION.matcher(text);
    return found.matches() ? Optional.of(found.group(1).strip()) : Optional.empty();
  }

  /** The text with the values instead of the expressions. Values are not read again. */
  static String filled(String text, Map<String, Object> values) {
    return EXPRESSION
        .matcher(text)
        .replaceAll(found -> {
          String name = found.group(1).strip();
          Object value = values.get(name);
          return Matcher.quoteReplacement(
              value == null ? found.group() : TemplateParameter.text(value));
        });
  }
}
