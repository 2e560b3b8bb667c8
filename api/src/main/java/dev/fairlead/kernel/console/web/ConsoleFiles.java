package dev.fairlead.kernel.console.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.webjars.WebJarVersionLocator;

/**
 * The page of the console with the addresses of its modules filled in. Every address of a module
 * contains a version, so browsers may cache modules forever: the digest of all files for the
 * console's own modules, the version of the WebJar for Lit.
 *
 * @param digest digest of the console's own files, 16 hexadecimal digits
 * @param page the HTML of the page
 * @param etag digest of the page, which also changes with the version of a WebJar
 * @param importMap the hash of the page's one inline script, as {@code script-src} takes it
 */
record ConsoleFiles(String digest, String page, String etag, String importMap) {
  /** WebJars that the import map may name. No other WebJar is served with the console. */
  static final List<String> LIBRARIES =
      List.of("lit", "lit-html", "lit-element", "lit__reactive-element");

  static final String FOLDER = "console/";
  private static final String PAGE = "index.html";
  private static final String MAP_BEGIN = "<script type=\"importmap\">";
  private static final String MAP_END = "</script>";
  private static final int DIGEST_DIGITS = 16;

  /**
   * Reads the files from the class path.
   *
   * @throws IllegalStateException when a file or a WebJar is missing
   */
  static ConsoleFiles read() {
    try {
      Resource[] files =
          new PathMatchingResourcePatternResolver().getResources("classpath:" + FOLDER + "*.*");
      Arrays.sort(files, Comparator.comparing(ConsoleFiles::name));
      MessageDigest all = sha256();
      for (Resource file : files) {
        all.update(name(file).getBytes(StandardCharsets.UTF_8));
        all.update(file.getContentAsByteArray());
      }
      String digest = digits(all);
      String page = page(files, digest);
      MessageDigest whole = sha256();
      whole.update(page.getBytes(StandardCharsets.UTF_8));
      return new ConsoleFiles(digest, page, digits(whole), hash(importMap(page)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String page(Resource[] files, String digest) throws IOException {
    String page = null;
    for (Resource file : files) {
      if (name(file).equals(PAGE)) {
        page = file.getContentAsString(StandardCharsets.UTF_8);
      }
    }
    if (page == null) {
      throw new IllegalStateException("the class path has no " + FOLDER + PAGE);
    }
    String preloads =
        Arrays.stream(files)
            .map(ConsoleFiles::name)
            .filter(name -> name.endsWith(".js"))
            .map(name -> "<link rel=\"modulepreload\" href=\"%s/%s\">".formatted(digest, name))
            .collect(Collectors.joining("\n    "));
    page = page.replace("{{preloads}}", preloads).replace("{{digest}}", digest);
    WebJarVersionLocator versions = new WebJarVersionLocator();
    for (String library : LIBRARIES) {
      String version = versions.version(library);
      if (version == null) {
        throw new IllegalStateException("the class path has no WebJar " + library);
      }
      page = page.replace("{{" + library + "}}", "./lib/" + library + "/" + version);
    }
    return page;
  }

  private static String importMap(String page) {
    int begin = page.indexOf(MAP_BEGIN);
    if (begin < 0) {
      throw new IllegalStateException(FOLDER + PAGE + " has no import map");
    }
    begin += MAP_BEGIN.length();
    return page.substring(begin, page.indexOf(MAP_END, begin));
  }

  private static String hash(String script) {
    byte[] digest = sha256().digest(script.getBytes(StandardCharsets.UTF_8));
    return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
  }

  private static String digits(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest()).substring(0, DIGEST_DIGITS);
  }

  private static String name(Resource file) {
    return Objects.requireNonNull(file.getFilename());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
