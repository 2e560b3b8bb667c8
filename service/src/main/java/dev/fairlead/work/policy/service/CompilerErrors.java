package dev.fairlead.work.policy.service;

import dev.cel.common.CelIssue;
import dev.cel.common.CelSourceLocation;
import dev.cel.common.CelValidationException;
import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The first error of the CEL compiler with its position and the next step. The compiler's own
 * messages list tokens of its grammar, and are not shown.
 */
final class CompilerErrors {
  private static final String ENDS_EARLY =
      "the expression ends early. Add the missing value, quote or bracket";

  /**
   * Rewrites one message of the compiler.
   *
   * @param text with groups for the words of the expression
   */
  private record Rule(Pattern text, Function<MatchResult, String> words) {
    private static Rule of(String text, Function<MatchResult, String> words) {
      return new Rule(Pattern.compile(text, Pattern.DOTALL), words);
    }
  }

  private static final List<Rule> RULES =
      List.of(
          Rule.of("mismatched input '<EOF>' expecting .*", _ -> ENDS_EARLY),
          Rule.of("token recognition error at: '['\"].*", _ -> "a string has no closing quote"),
          Rule.of(
              "token recognition error at: '(.*)'",
              found ->
                  "\"%s\" is not an operator. Compare with == and !=, and combine with && and ||"
                      .formatted(found.group(1).strip())),
          Rule.of(
              "(?:mismatched|extraneous) input '(.*?)' expecting .*",
              found ->
                  "\"%s\" does not fit here. Combine conditions with &&, || and !"
                      .formatted(found.group(1))),
          Rule.of(
              "undeclared reference to '(.*?)'.*",
              found ->
                  "\"%s\" is unknown. Values of the job begin with job., such as job.user"
                      .formatted(found.group(1))),
          Rule.of(
              "found no matching overload for '(.*?)' applied to '\\((.*?)\\)'.*",
              found ->
                  "\"%s\" does not accept %s"
                      .formatted(operator(found.group(1)), found.group(2).replace(", ", " and "))),
          Rule.of(
              "expected type 'bool' but found '(.*?)'",
              found ->
                  "the result is %s, and must be true or false. Compare it with a value"
                      .formatted(found.group(1))),
          Rule.of("For input string: .*", _ -> "the number is too large"),
          Rule.of(
              "Expression recursion limit exceeded.*", _ -> "the expression is nested too deeply"),
          Rule.of("expression code point size exceeds limit.*", _ -> "the expression is too long"));

  private CompilerErrors() {}

  /** Such as {@code column 10: the expression ends early ...}. Columns count from 1. */
  static String text(CelValidationException broken, String expression) {
    CelIssue first = broken.getErrors().getFirst();
    return at(first.getSourceLocation(), expression.contains("\n")) + words(first.getMessage());
  }

  private static String at(CelSourceLocation at, boolean lines) {
    if (at.getLine() < 1) {
      return "";
    }
    String line = lines ? "line " + at.getLine() + ", " : "";
    return line + "column " + (at.getColumn() + 1) + ": ";
  }

  private static String words(String message) {
    for (Rule rule : RULES) {
      Matcher found = rule.text().matcher(message);
      if (found.matches()) {
        return rule.words().apply(found);
      }
    }
    return message;
  }

  /** {@code _<_} is &lt; in an expression, and {@code @in} is in. */
  private static String operator(String function) {
    String shown = function.replaceAll("[_@]", "");
    return shown.isEmpty() ? function : shown;
  }
}
