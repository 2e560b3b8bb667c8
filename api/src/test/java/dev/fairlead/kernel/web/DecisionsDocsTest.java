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

/** A decision that the index does not name is not found by its title. */
class DecisionsDocsTest {
  private static final Path DECISIONS =
      Path.of(System.getProperty("fairlead.root", "..")).resolve("docs/adr");
  private static final Pattern FILE = Pattern.compile("0*(\\d+)-[a-z0-9-]+\\.md");
  private static final Pattern TITLE = Pattern.compile("# (\\d+)\\. (.+)");

  /**
   * Fails when a file has no row, a different number than its name, or a different title than its
   * row.
   */
  @Test
  void everyDecisionIsIndexedByItsNumberAndTitle() throws IOException {
    String index = Files.readString(DECISIONS.resolve("README.md"));

    assertThat(decisions())
        .isNotEmpty()
        .allSatisfy(file -> assertThat(index).contains(row(file)))
        .allSatisfy(file -> assertThat(read(file)).containsPattern("(?m)^Status: \\w+"));
  }

  private static String row(Path file) {
    String name = file.getFileName().toString();
    Matcher named = FILE.matcher(name);
    Matcher titled = TITLE.matcher(read(file).lines().findFirst().orElse(""));
    assertThat(named.matches()).as(name).isTrue();
    assertThat(titled.matches()).as(name + " begins with its title").isTrue();
    assertThat(titled.group(1)).as(name).isEqualTo(named.group(1));
    return "| [%s](%s) | %s |".formatted(titled.group(1), name, titled.group(2));
  }

  private static List<Path> decisions() throws IOException {
    try (Stream<Path> files = Files.list(DECISIONS)) {
      return files
          .filter(f -> FILE.matcher(f.getFileName().toString()).matches())
          .sorted()
          .toList();
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
