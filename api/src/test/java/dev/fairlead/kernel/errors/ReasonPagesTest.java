package dev.fairlead.kernel.errors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.work.explanation.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The pages to which {@code type} of an error or blocker links, generated from
 * docs/reference/reasons.
 */
@Tag("generated-docs")
class ReasonPagesTest {
  private static final Path ROOT = Path.of(System.getProperty("fairlead.root", ".."));
  private static final Path SOURCES = ROOT.resolve("docs/reference/reasons");
  private static final Path PAGES = ROOT.resolve("api/src/main/resources/static/docs/reasons");

  @Test
  void everyCodeHasASectionWithItsStatus() throws IOException {
    String text = Files.readString(SOURCES.resolve("errors.md"));

    for (ProblemCode code : ProblemCode.values()) {
      assertThat(text).contains("\n## " + code + "\n\n" + code.status() + ". ");
    }
    assertThat(sections(text)).isEqualTo(ProblemCode.values().length);
  }

  @Test
  void everyReasonHasASectionWithItsClass() throws IOException {
    String text = Files.readString(SOURCES.resolve("waiting.md"));

    for (Reason reason : Reason.values()) {
      assertThat(text).contains("\n## " + reason + "\n\n" + reason.reasonClass() + ". ");
    }
    assertThat(sections(text)).isEqualTo(Reason.values().length);
  }

  private static long sections(String text) {
    return text.lines().filter(line -> line.startsWith("## ")).count();
  }

  @ParameterizedTest
  @ValueSource(strings = {"errors", "waiting"})
  void reasonPageMatchesTheDocument(String name) throws IOException {
    String page = html(name, Files.readString(SOURCES.resolve(name + ".md")));
    Path file = PAGES.resolve(name + ".html");
    if (Boolean.getBoolean("fairlead.update")) {
      Files.createDirectories(PAGES);
      Files.writeString(file, page);
    }

    assertThat(file).as("out of date: make docs").hasContent(page);
  }

  @Test
  void errorTypeLinksToASectionOfAPage() throws IOException {
    for (ProblemCode code : ProblemCode.values()) {
      Problem problem = Problem.of(new dev.fairlead.kernel.problem.Refusal(code, "x"), "/a", "r");

      leadsToASection(problem.type());
      assertThat(problem.title()).matches("[A-Z][a-z ]+");
      assertThat(problem.status()).isEqualTo(code.status());
    }
  }

  @Test
  void blockerTypeLinksToASectionOfAPage() throws IOException {
    for (Reason reason : Reason.values()) {
      leadsToASection(ReasonPages.of(reason));
    }
  }

  private static void leadsToASection(String type) throws IOException {
    List<String> parts = Arrays.asList(type.split("#"));
    Path file = ROOT.resolve("api/src/main/resources/static" + parts.get(0));
    assertThat(file).exists();
    assertThat(Files.readString(file)).contains("<h2 id=\"" + parts.get(1) + "\">");
  }

  private static String html(String name, String markdown) {
    StringBuilder page =
        new StringBuilder(
            """
            <!doctype html>
            <html lang="en">
            <head><meta charset="utf-8"><title>Fairlead: %s</title></head>
            <body>
            """
                .formatted(name));
    for (String block : markdown.strip().split("\n\n")) {
      page.append(block(block.replace('\n', ' '))).append('\n');
    }
    return page.append("</body>\n</html>\n").toString();
  }

  private static String block(String text) {
    if (text.startsWith("## ")) {
      String name = text.substring(3);
      return "<h2 id=\"" + name.toLowerCase(Locale.ROOT) + "\">" + name + "</h2>";
    }
    return text.startsWith("# ")
        ? "<h1>" + text.substring(2) + "</h1>"
        : "<p>" + inline(text) + "</p>";
  }

  private static String inline(String text) {
    String escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    return escaped
        .replaceAll("`([^`]*)`", "<code>$1</code>")
        .replaceAll("\\[([^]]*)]\\((https:[^)]*)\\)", "<a href=\"$2\">$1</a>")
        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1");
  }
}
