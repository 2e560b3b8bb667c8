package dev.fairlead.web;

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

/** A guarantee whose test was renamed or removed would only be a promise. */
class GuaranteesDocsTest {
  private static final Path ROOT =
      Path.of(System.getProperty("fairlead.root", "..")).toAbsolutePath().normalize();
  private static final Pattern TEST =
      Pattern.compile("`([A-Z]\\w+(?:Test|IT|Contract))(?:\\.(\\w+))?`");

  @Test
  void everyTestThatIsNamedExists() throws IOException {
    List<Path> tests = tests();
    Matcher named = TEST.matcher(Files.readString(ROOT.resolve("docs/guarantees.md")));
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
