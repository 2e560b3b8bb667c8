package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The console as a browser gets it: the page, its policy, and every module that it imports. */
class ConsoleIT {
  private static final Http HTTP = RunningFairlead.shared().http();
  private static final URI PAGE = URI.create("/console/");
  private static final int MOST_GZIP_BYTES = 100_000;
  private static final int MOST_LINES = 9_000;
  private static final Pattern INLINE =
      Pattern.compile("<script(?![^>]*\\bsrc=)([^>]*)>(.*?)</script>", Pattern.DOTALL);
  private static final Pattern REFERENCE = Pattern.compile("(?:href|src)=\"([^\"]+)\"");
  private static final Pattern IMPORT =
      Pattern.compile("\\b(?:from|import)\\s*[\"']([^\"'\\s]+)[\"']");
  private static final Pattern ELEMENT = Pattern.compile("customElements\\.define\\(\"([a-z-]+)\"");
  private static Http.Answer page;
  private static String importMap;

  @BeforeAll
  static void readThePage() {
    page = HTTP.get(PAGE.toString());
    Matcher inline = INLINE.matcher(page.body());
    assertThat(inline.find()).as(page.body()).isTrue();
    importMap = inline.group(2);
  }

  /** Fails when a browser does not reach the console at the root path. */
  @Test
  void rootPathRedirectsToTheConsole() {
    assertThat(HTTP.get("/").header("Location")).isEqualTo("/console/");
    assertThat(HTTP.get("/console").header("Location")).isEqualTo("/console/");
    assertThat(HTTP.get("/console/config.json").body()).isEqualTo("{\"signIn\":null}");
  }

  /** Fails when the parameters that an issuer appends to the redirect address are refused. */
  @Test
  void theIssuerMayAppendParametersToTheAddressOfThePage() {
    assertThat(HTTP.get("/console/?code=x&state=y&session_state=z&iss=i").status()).isEqualTo(200);
    assertThat(HTTP.get("/console/config.json?state=y").status()).isEqualTo(400);
  }

  /** Fails when the header permits inline code, or a hash other than the hash of the import map. */
  @Test
  void cspAllowsTheImportMapAndNoOtherInlineCode() throws NoSuchAlgorithmException {
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(importMap.getBytes(StandardCharsets.UTF_8));
    String hash = "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";

    assertThat(page.header("Content-Security-Policy"))
        .contains("default-src 'none'")
        .contains("script-src 'self' " + hash + ";")
        .contains("style-src 'self';")
        .contains("connect-src 'self';")
        .contains("require-trusted-types-for 'script'")
        .doesNotContain("unsafe");
  }

  /**
   * Fails when the page has a script, a style or an inline handler in addition to the import map.
   */
  @Test
  void pageHasNoInlineCodeExceptTheImportMap() {
    List<String> inline =
        INLINE.matcher(page.body()).results().map(found -> found.group(1).strip()).toList();

    assertThat(inline).containsExactly("type=\"importmap\"");
    assertThat(page.body()).doesNotContainPattern("(?i)<style|\\sstyle=|\\son[a-z]+=|javascript:");
  }

  /**
   * Fails when a module imports a file that is not served, for example after a new version of a
   * WebJar has moved its files, or when the console grows beyond its budget.
   */
  @Test
  void everyImportedModuleIsServedAndMayBeCachedForever() {
    Map<URI, Http.Answer> files = imported();

    assertThat(files.keySet())
        .extracting(URI::getPath)
        .anyMatch(path -> path.endsWith("/lit-html.js"))
        .anyMatch(path -> path.endsWith("/reactive-element.js"))
        .anyMatch(path -> path.endsWith("/console.css"))
        .hasSizeGreaterThan(20);
    files.forEach((path, answer) -> {
      assertThat(answer.status()).as("%s", path).isEqualTo(200);
      assertThat(answer.header("Cache-Control"))
          .as("%s", path)
          .contains("max-age=31536000", "immutable");
      assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
      if (path.getPath().endsWith(".js")) {
        assertThat(answer.header("Content-Type")).as("%s", path).startsWith("text/javascript");
      }
    });
    assertThat(files.values().stream().mapToInt(answer -> gzipped(answer.body())).sum())
        .isLessThan(MOST_GZIP_BYTES);
    assertThat(
            files.entrySet().stream()
                .filter(file -> !file.getKey().getPath().contains("/lib/"))
                .mapToLong(file -> file.getValue().body().lines().count())
                .sum())
        .isBetween(5_000L, (long) MOST_LINES);
  }

  /** Fails when pages get a further component of their own instead of HTML. */
  @Test
  void pagesShareAtMostEightComponents() {
    Map<URI, Http.Answer> files = imported();
    String shell =
        files.entrySet().stream()
            .filter(file -> file.getKey().getPath().endsWith("/main.js"))
            .map(file -> file.getValue().body())
            .findFirst()
            .orElseThrow();
    List<String> components =
        files.values().stream()
            .flatMap(file -> ELEMENT.matcher(file.body()).results())
            .map(found -> found.group(1))
            .filter(element -> !shell.contains("<" + element) && !shell.contains("\"" + element))
            .sorted()
            .toList();

    assertThat(components).contains("fl-action", "fl-logs", "fl-map-canvas").hasSizeLessThan(9);
  }

  /** Fails when text of the API can become markup in a template. */
  @Test
  void noModuleOfTheConsoleCreatesMarkupFromText() {
    imported()
        .forEach((path, answer) -> {
          if (!path.getPath().contains("/lib/")) {
            assertThat(answer.body())
                .as("%s", path)
                .doesNotContainPattern(
                    "unsafe(HTML|SVG|Static)|innerHTML|outerHTML|insertAdjacent|eval\\(");
          }
        });
  }

  /** Fails when a browser reloads an unchanged page, or caches a page across an upgrade. */
  @Test
  void anUnchangedPageIsNotSentAgain() {
    assertThat(page.header("Cache-Control")).isEqualTo("no-cache");
    assertThat(HTTP.get("/console/", "If-None-Match", page.header("ETag")).status()).isEqualTo(304);
    assertThat(HTTP.get("/console/", "If-None-Match", "\"other\"").status()).isEqualTo(200);
  }

  /** Fails when a browser has to load three times as many bytes as needed. */
  @Test
  void modulesAreSentCompressed() {
    Matcher module = Pattern.compile("[0-9a-f]{16}/jobs\\.js").matcher(page.body());
    assertThat(module.find()).isTrue();
    String[] headers = {"Accept-Encoding", "gzip"};

    assertThat(HTTP.get("/console/" + module.group(), headers).header("Content-Encoding"))
        .isEqualTo("gzip");
    assertThat(HTTP.get("/api/v1/capacity", headers).header("Content-Encoding")).isEmpty();
  }

  /** Fails when the addresses of modules do not contain their version, or lead to other files. */
  @Test
  void modulesAreServedAtNoOtherAddress() {
    assertThat(HTTP.get("/console/main.js").status()).isEqualTo(404);
    assertThat(HTTP.get("/console/0123456789abcdef/main.js").status()).isEqualTo(404);
    assertThat(HTTP.get("/console/lib/swagger-ui/swagger-ui.css").status()).isEqualTo(404);
  }

  /** All resources that the page refers to, directly or indirectly, by address. */
  private static Map<URI, Http.Answer> imported() {
    JsonNode names = JsonMapper.builder().build().readTree(importMap).get("imports");
    Deque<URI> open = new ArrayDeque<>();
    REFERENCE
        .matcher(page.body())
        .results()
        .forEach(found -> open.add(PAGE.resolve(found.group(1))));
    Map<URI, Http.Answer> read = new TreeMap<>();
    while (!open.isEmpty()) {
      URI next = open.remove();
      if (read.containsKey(next)) {
        continue;
      }
      Http.Answer answer = HTTP.get(next.toString());
      read.put(next, answer);
      if (next.getPath().endsWith(".js")) {
        IMPORT
            .matcher(answer.body())
            .results()
            .forEach(found -> open.add(resolved(names, next, found.group(1))));
      }
    }
    return read;
  }

  /** The address of a module in the import map. */
  private static URI resolved(JsonNode names, URI from, String name) {
    if (name.startsWith(".")) {
      return from.resolve(name);
    }
    if (names.has(name)) {
      return PAGE.resolve(names.get(name).asString());
    }
    int slash = name.lastIndexOf('/');
    while (slash > 0 && !names.has(name.substring(0, slash + 1))) {
      slash = name.lastIndexOf('/', slash - 1);
    }
    assertThat(slash)
        .as("%s imports %s, which the import map does not name", from, name)
        .isPositive();
    return PAGE.resolve(names.get(name.substring(0, slash + 1)).asString())
        .resolve(name.substring(slash + 1));
  }

  private static int gzipped(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
      zip.write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.size();
  }
}
