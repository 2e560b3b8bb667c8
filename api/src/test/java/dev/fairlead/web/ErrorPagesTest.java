package dev.fairlead.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.problem.ProblemCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The page that {@code type} of an error leads to, made from docs/errors.md. */
@Tag("generated-docs")
class ErrorPagesTest {
  private static final Path ROOT = Path.of(System.getProperty("fairlead.root", ".."));
  private static final Path SOURCE = ROOT.resolve("docs/errors.md");
  private static final Path PAGE = ROOT.resolve("api/src/main/resources/static/docs/errors.html");

  @Test
  void everyCodeHasItsSectionWithItsStatus() throws IOException {
    String text = Files.readString(SOURCE);

    for (ProblemCode code : ProblemCode.values()) {
      assertThat(text).contains("\n## " + code + "\n\n" + code.status() + ". ");
    }
    assertThat(text.lines().filter(line -> line.startsWith("## ")))
        .hasSize(ProblemCode.values().length);
  }

  @Test
  void thePageShowsWhatTheDocumentSays() throws IOException {
    String page = html(Files.readString(SOURCE));
    if (Boolean.getBoolean("fairlead.update")) {
      Files.createDirectories(PAGE.getParent());
      Files.writeString(PAGE, page);
    }

    assertThat(PAGE).as("out of date: make docs").hasContent(page);
  }

  private static String html(String markdown) {
    StringBuilder page =
        new StringBuilder(
            """
            <!doctype html>
            <html lang="en">
            <head><meta charset="utf-8"><title>Fairlead: errors</title></head>
            <body>
            """);
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
        .replaceAll("\\[([^]]*)]\\(([^)]*)\\)", "<a href=\"$2\">$1</a>");
  }

  @Test
  void titlesAndLinksFollowFromTheCode() {
    List<ProblemCode> codes = Arrays.asList(ProblemCode.values());

    assertThat(codes)
        .allSatisfy(code -> {
          Problem problem = Problem.of(new dev.fairlead.problem.Refusal(code, "x"), "/a", "r");
          assertThat(problem.type())
              .isEqualTo("/docs/errors.html#" + code.name().toLowerCase(Locale.ROOT));
          assertThat(problem.title()).matches("[A-Z][a-z ]+");
          assertThat(problem.status()).isEqualTo(code.status());
        });
  }
}
