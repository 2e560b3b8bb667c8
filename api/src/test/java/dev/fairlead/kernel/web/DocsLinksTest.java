package dev.fairlead.kernel.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No link inside the documentation leads nowhere. */
class DocsLinksTest {
  private static final Path ROOT =
      Path.of(System.getProperty("fairlead.root", "..")).toAbsolutePath().normalize();
  private static final Pattern LINK = Pattern.compile("\\[[^]\n]*]\\(([^)\\s]+)\\)");

  @Test
  void everyLinkOfThePagesLeadsToAFileAndItsSection() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      String text = Files.readString(page).replaceAll("(?s)```.*?```", "");
      Matcher link = LINK.matcher(text);
      while (link.find()) {
        if (!link.group(1).matches("[a-z]+:.*") && !leadsSomewhere(page, link.group(1))) {
          broken.add(ROOT.relativize(page) + ": " + link.group(1));
        }
      }
    }

    assertThat(pages()).hasSizeGreaterThan(20);
    assertThat(broken).isEmpty();
  }

  /**
   * Fails when a page is added that the index by role does not name, or with more than 38 pages.
   */
  @Test
  void theIndexNamesEveryPageOfTheReaders() throws IOException {
    Path index = ROOT.resolve("docs/index.md");
    String text = Files.readString(index);

    assertThat(ofReaders())
        .hasSizeBetween(30, 38)
        .allSatisfy(page ->
            assertThat(text)
                .as(page.toString())
                .contains("](" + index.getParent().relativize(page) + ")"));
  }

  /** Fails when a page does not name its readers at the start. */
  @Test
  void everyPageNamesItsReadersBelowItsTitle() throws IOException {
    for (Path page : ofReaders()) {
      assertThat(Files.readAllLines(page).get(2)).as(page.toString()).startsWith("For ");
    }
  }

  /** Pages directly in a folder of docs, except for decisions. */
  private static List<Path> ofReaders() throws IOException {
    return pages().stream()
        .filter(page -> page.getParent().getParent().equals(ROOT.resolve("docs")))
        .filter(page -> !page.getParent().endsWith("adr"))
        .toList();
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(
              docs.filter(p -> p.toString().endsWith(".md")), Stream.of(ROOT.resolve("README.md")))
          .toList();
    }
  }

  private static boolean leadsSomewhere(Path page, String link) throws IOException {
    String[] parts = link.split("#", 2);
    Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
    if (parts.length == 1 || parts[1].isEmpty()) {
      return Files.exists(target);
    }
    return Files.isRegularFile(target)
        && Files.readString(target)
            .lines()
            .filter(line -> line.startsWith("#"))
            .anyMatch(line -> anchor(line).equals(parts[1]));
  }

  private static String anchor(String heading) {
    return heading
        .replaceFirst("^#+ ", "")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^a-z0-9 _-]", "")
        .replace(' ', '-');
  }
}
