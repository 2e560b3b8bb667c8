package dev.fairlead.kernel.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A guarantee whose test was renamed or removed is unproven. */
class GuaranteesDocsTest {
  private static final Path ROOT =
      Path.of(System.getProperty("fairlead.root", "..")).toAbsolutePath().normalize();
  private static final int CONTROL = 5;
  private static final Pattern CONTROL_NAME = Pattern.compile("\\b[A-Z]{2,}(?:_[A-Z]+)*\\b");
  private static final Pattern TEST =
      Pattern.compile("`([A-Z]\\w+(?:Test|IT|Contract))(?:\\.(\\w+))?`");

  @Test
  void everyNamedTestExists() throws IOException {
    List<Path> tests = tests();
    Matcher named = TEST.matcher(Files.readString(ROOT.resolve("docs/explanation/guarantees.md")));
    int count = 0;
    while (named.find()) {
      count++;
      String method = named.group(2);
      assertThat(tests)
          .as(named.group())
          .anyMatch(file ->
              file.getFileName().toString().equals(named.group(1) + ".java")
                  && (method == null || read(file).contains(" " + method + "(")));
    }
    assertThat(count).isPositive();
  }

  /** A guarantee is unproven until its test has been seen failing. */
  @Test
  void everyGuaranteeHasANegativeControl() throws IOException {
    List<Path> tests = tests();
    String controls = inMakeTest(read(file(tests, "NegativeControlTest")));
    List<String> rows = rows();
    assertThat(rows).hasSizeGreaterThanOrEqualTo(24);
    for (String row : rows) {
      String cell = row.split("\\|")[CONTROL].strip();
      assertThat(cell).as(row).isNotEmpty();
      CONTROL_NAME
          .matcher(cell)
          .results()
          .forEach(name -> assertThat(controls).as(row).contains("\"" + name.group() + ","));
      TEST.matcher(cell)
          .results()
          .forEach(test ->
              assertThat(around(read(file(tests, test.group(1))), test.group(2)))
                  .as(test.group() + " says what it fails without")
                  .containsPattern("Fails\\s+(\\*\\s+)?(when|without)"));
    }
  }

  /** Rows of the first table. */
  private static List<String> rows() throws IOException {
    String text = Files.readString(ROOT.resolve("docs/explanation/guarantees.md"));
    return text.substring(0, text.indexOf("## ")).lines().filter(l -> l.startsWith("| G")).toList();
  }

  /** The part of a test class before its first test of the long form. */
  private static String inMakeTest(String source) {
    return source.substring(0, source.indexOf("@Tag(\"long\")"));
  }

  private static Path file(List<Path> tests, String name) {
    return tests.stream()
        .filter(file -> file.getFileName().toString().equals(name + ".java"))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no test " + name));
  }

  /** The comment before the method and the beginning of its body. */
  private static String around(String source, String method) {
    int at = source.indexOf("void " + method + "(");
    String before = source.substring(0, at);
    int begin = Math.max(before.lastIndexOf("  }\n"), before.lastIndexOf(";\n\n"));
    int end = source.indexOf("\n  }\n", at);
    return source.substring(Math.max(0, begin), end);
  }

  private static List<Path> tests() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files.filter(file -> file.toString().contains("/src/test/java/")).toList();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
