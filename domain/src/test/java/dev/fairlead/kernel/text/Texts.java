package dev.fairlead.kernel.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * User-visible texts: one file for each surface holds the words, the test the names and numbers.
 *
 * <p>A line of a file is {@code key: text}, with {@code {0}}, {@code {1}} instead of the values
 * that a test passes. With {@code -Dfairlead.update=true} a test writes the line again from the
 * text that it sees, and still fails when a value is missing.
 */
public enum Texts {
  /** Messages of refused requests. */
  PROBLEMS,
  /** Reasons and explanations: of a waiting job, of an ended attempt, of a node out of service. */
  REASONS,
  /** Lines of logs. */
  LOGS,
  /** Reports and messages of the programs. */
  OUTPUTS;

  private static final Path FOLDER = Path.of("domain/src/test/resources/texts");

  /** The message of a refusal is this text with these values. */
  public static Consumer<Object> problem(String key, Object... values) {
    return said -> PROBLEMS.check(key, said, values);
  }

  /** The reason is this text with these values. */
  public static Consumer<Object> reason(String key, Object... values) {
    return said -> REASONS.check(key, said, values);
  }

  /** The log has this text with these values. */
  public static Consumer<Object> log(String key, Object... values) {
    return said -> LOGS.check(key, said, values);
  }

  /** The output of the program has this text with these values. */
  public static Consumer<Object> output(String key, Object... values) {
    return said -> OUTPUTS.check(key, said, values);
  }

  private void check(String key, Object said, Object... values) {
    String text = said instanceof Throwable thrown ? thrown.getMessage() : String.valueOf(said);
    if (Boolean.getBoolean("fairlead.update")) {
      write(key, template(text, values));
    }
    String template = read().get(key);
    String where = file() + ", " + key;
    assertThat(template).as("%s: record it with -Dfairlead.update=true", where).isNotNull();
    IntStream.range(0, values.length)
        .forEach(i -> assertThat(template).as(where).contains("{" + i + "}"));
    assertThat(text).as(where).isEqualTo(filled(template, values));
  }

  static String filled(String template, Object... values) {
    return Pattern.compile("\\{(\\d+)}")
        .matcher(template)
        .replaceAll(found ->
            Matcher.quoteReplacement(String.valueOf(values[Integer.parseInt(found.group(1))])));
  }

  /** The longest value is replaced first, each once, and only as a whole word. */
  static String template(String text, Object... values) {
    String template = text;
    for (int i : longestFirst(values)) {
      String value = String.valueOf(values[i]);
      Matcher found =
          Pattern.compile("(?<![\\w{]|\\w[.-])" + Pattern.quote(value) + "(?!\\w|}|[.-]\\w)")
              .matcher(template);
      assertThat(found.find()).as("\"%s\" does not name %s", text, value).isTrue();
      template =
          template.substring(0, found.start()) + "{" + i + "}" + template.substring(found.end());
    }
    return template;
  }

  private static int[] longestFirst(Object... values) {
    return IntStream.range(0, values.length)
        .boxed()
        .sorted(Comparator.comparing(i -> -String.valueOf(values[i]).length()))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private Path file() {
    String told = System.getProperty("fairlead.root");
    Path root = told == null ? Path.of("").toAbsolutePath() : Path.of(told);
    while (!Files.isDirectory(root.resolve(".mvn"))) {
      root = root.getParent();
    }
    return root.resolve(FOLDER).resolve(name().toLowerCase(Locale.ROOT) + ".txt");
  }

  private SortedMap<String, String> read() {
    try {
      return lines(Files.readString(file()));
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  private static SortedMap<String, String> lines(String file) {
    SortedMap<String, String> texts = new TreeMap<>();
    file.lines()
        .filter(line -> line.contains(": "))
        .forEach(line -> {
          int colon = line.indexOf(": ");
          texts.put(line.substring(0, colon), line.substring(colon + 2).replace("\\n", "\n"));
        });
    return texts;
  }

  /** Several forks of a build may write the same file. */
  private void write(String key, String text) {
    synchronized (Texts.class) {
      try (FileChannel file =
              FileChannel.open(
                  file(),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.READ,
                  StandardOpenOption.WRITE);
          var held = file.lock()) {
        ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
        file.read(bytes);
        SortedMap<String, String> texts = lines(new String(bytes.array(), StandardCharsets.UTF_8));
        texts.put(key, text);
        StringBuilder all = new StringBuilder();
        texts.forEach((name, said) ->
            all.append(name).append(": ").append(said.replace("\n", "\\n")).append('\n'));
        file.truncate(0);
        file.write(ByteBuffer.wrap(all.toString().getBytes(StandardCharsets.UTF_8)), 0);
      } catch (IOException broken) {
        throw new UncheckedIOException(broken);
      }
    }
  }
}
