package dev.fairlead.architecture;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Sentences in assertions, and files of texts without a test. */
final class TestTextRules {

  /** From this many words on, a text is a sentence: words are plain, without digits or signs. */
  static final int WORDS_OF_A_SENTENCE = 6;

  private static final Pattern ASSERTION =
      Pattern.compile(
          "\\.(isEqualTo|hasMessage\\w*|withMessage\\w*|contains\\w*|startsWith|endsWith|hasValue)\\(");
  private static final Pattern STRING = Pattern.compile("\"((?:[^\"\\\\\n]|\\\\.)*)\"");
  private static final Pattern JOINED = Pattern.compile("\"\\s*\\+\\s*\"");
  private static final Pattern WORD =
      Pattern.compile("[(\"'\\\\]*[A-Za-z][a-z']*[)\"'\\\\]*[,.:;?!)]*");
  private static final Pattern DOCUMENT = Pattern.compile("^\\s*[\\[{]|\":|(^|\\s)--\\w");
  private static final Pattern KEY =
      Pattern.compile("\\b(?:problem|reason|log|output)\\(\\s*\"([\\w.-]+)\"");

  private TestTextRules() {}

  /** One line for each assertion that states a sentence. */
  static List<String> sentences(List<SourceFile> tests) {
    List<String> found = new ArrayList<>();
    for (SourceFile file : tests) {
      String text = JOINED.matcher(file.text()).replaceAll("");
      Matcher call = ASSERTION.matcher(text);
      while (call.find()) {
        STRING
            .matcher(text.substring(call.end(), endOfArguments(text, call.end())))
            .results()
            .map(literal -> literal.group(1))
            .filter(TestTextRules::isSentence)
            .findFirst()
            .ifPresent(sentence -> found.add(file.path() + ": " + sentence));
      }
    }
    return found;
  }

  /** Keys of the files of texts that no test names. */
  static List<String> unusedTexts(List<String> keys, List<SourceFile> tests) {
    Set<String> named =
        tests.stream()
            .flatMap(file -> KEY.matcher(file.text()).results())
            .map(found -> found.group(1))
            .collect(Collectors.toSet());
    return keys.stream().filter(key -> !named.contains(key)).toList();
  }

  private static boolean isSentence(String literal) {
    return !DOCUMENT.matcher(literal).find()
        && Arrays.stream(literal.split("\\s+", -1)).filter(w -> WORD.matcher(w).matches()).count()
            >= WORDS_OF_A_SENTENCE;
  }

  private static int endOfArguments(String text, int start) {
    Matcher strings = STRING.matcher(text);
    int open = 1;
    for (int i = start; i < text.length(); i++) {
      char sign = text.charAt(i);
      if (sign == '"' && strings.find(i) && strings.start() == i) {
        i = strings.end() - 1;
      }
      open += sign == '(' ? 1 : sign == ')' ? -1 : 0;
      if (open == 0) {
        return i;
      }
    }
    return text.length();
  }
}
