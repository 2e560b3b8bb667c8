package dev.fairlead.work.launcher;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Reads the YAML of one launcher and checks it. Every error names the field. */
final class LauncherFile {
  private static final Set<String> FIELDS =
      Set.of(
          "name",
          "description",
          "wrapper",
          "needsRun",
          "roles",
          "ports",
          "env",
          "elastic",
          "repair",
          "reserved",
          "files");
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,30}");
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,255}");

  /** Variables of the platform, of the GPU runtime and of the dynamic linker. */
  private static final Pattern PLATFORM =
      Pattern.compile("(FAIRLEAD_|KUBERNETES_|NVIDIA_|CUDA_VISIBLE).*|LD_.*|PATH|HOME");

  private static final int LEAST_PORT = 1_024;
  private static final int MOST_PORT = 65_535;
  private static final int MOST_FILE_CHARACTERS = 64 * 1_024;

  private final Map<?, ?> fields;

  private LauncherFile(Map<?, ?> fields) {
    this.fields = fields;
  }

  /**
   * @throws IllegalArgumentException for text that is not a launcher, with the field and the reason
   */
  static Launcher read(String yaml) {
    Object document;
    try {
      document = new Load(LoadSettings.builder().build()).loadFromString(yaml);
    } catch (YamlEngineException broken) {
      throw new IllegalArgumentException("is not valid YAML: " + broken.getMessage(), broken);
    }
    if (!(document instanceof Map<?, ?> fields)) {
      throw new IllegalArgumentException("must be a mapping with name, env and other fields");
    }
    return new LauncherFile(fields).launcher();
  }

  private Launcher launcher() {
    for (Object field : fields.keySet()) {
      if (!FIELDS.contains(String.valueOf(field))) {
        throw bad(String.valueOf(field), "is no field of a launcher. The fields are " + sorted());
      }
    }
    Launcher launcher =
        new Launcher(
            matching("name", text("name"), NAME),
            text("description"),
            words("wrapper"),
            Boolean.TRUE.equals(fields.get("needsRun")),
            new TreeSet<>(words("roles")),
            ports(),
            variables("env"),
            fields.containsKey("elastic") ? variables("elastic") : null,
            fields.containsKey("repair") ? variables("repair") : null,
            words("reserved").stream().map(LauncherFile::pattern).toList(),
            files());
    check(launcher);
    return launcher;
  }

  /** Expressions are checked when the file is read, not when a job starts. */
  private static void check(Launcher launcher) {
    if (launcher.repairs() && !launcher.resizes()) {
      throw bad("repair", "needs elastic: a member that replaces another joins a running gang");
    }
    if (!launcher.wrapper().isEmpty() && !launcher.needsRun()) {
      throw bad("needsRun", "must be true with a wrapper, which needs a command behind it");
    }
    if (launcher.files().values().stream().mapToInt(String::length).sum() > MOST_FILE_CHARACTERS) {
      throw bad("files", "have more than " + MOST_FILE_CHARACTERS + " characters together");
    }
    launcher.wrapper().forEach(word -> MemberValues.check("wrapper", word, launcher, true));
    launcher
        .env()
        .forEach((name, value) -> MemberValues.check("env." + name, value, launcher, true));
    for (boolean replaces : new boolean[] {false, true}) {
      if (launcher.resizes()) {
        launcher
            .variables(true, replaces)
            .forEach(
                (name, value) -> MemberValues.check("elastic." + name, value, launcher, false));
      }
    }
  }

  private String text(String field) {
    Object value = fields.get(field);
    if (value instanceof String text && !text.isBlank()) {
      return text.strip();
    }
    throw bad(field, "must be a text");
  }

  private List<String> words(String field) {
    Object value = fields.get(field);
    if (value == null) {
      return List.of();
    }
    if (!(value instanceof Collection<?> items)) {
      throw bad(field, "must be a list of texts");
    }
    List<String> words = new ArrayList<>();
    for (Object item : items) {
      words.add(scalar(field, item));
    }
    return words;
  }

  private SortedMap<String, Integer> ports() {
    SortedMap<String, Integer> ports = new TreeMap<>();
    mapping("ports")
        .forEach((name, value) -> {
          if (!(value instanceof Integer port) || port < LEAST_PORT || port > MOST_PORT) {
            throw bad("ports." + name, "must be a number from 1024 to 65535, not " + value);
          }
          ports.put(matching("ports", name, NAME), port);
        });
    return ports;
  }

  private SortedMap<String, String> variables(String field) {
    SortedMap<String, String> variables = new TreeMap<>();
    mapping(field)
        .forEach((name, value) -> {
          String path = field + "." + name;
          matching(path, name, VARIABLE);
          if (PLATFORM.matcher(name).matches()) {
            throw bad(path, "is a variable of the platform that a launcher cannot set");
          }
          variables.put(name, scalar(path, value));
        });
    return variables;
  }

  private SortedMap<String, String> files() {
    SortedMap<String, String> files = new TreeMap<>();
    mapping("files")
        .forEach((name, value) -> {
          String text = scalar("files." + name, value);
          if (text.length() > MOST_FILE_CHARACTERS) {
            throw bad("files." + name, "has more than " + MOST_FILE_CHARACTERS + " characters");
          }
          files.put(matching("files", name, NAME), text);
        });
    return files;
  }

  private SortedMap<String, @Nullable Object> mapping(String field) {
    Object value = fields.get(field);
    SortedMap<String, @Nullable Object> entries = new TreeMap<>();
    if (value == null) {
      return entries;
    }
    if (!(value instanceof Map<?, ?> given)) {
      throw bad(field, "must be a mapping");
    }
    given.forEach((name, entry) -> entries.put(String.valueOf(name), entry));
    return entries;
  }

  private static String scalar(String field, @Nullable Object value) {
    if (value instanceof String || value instanceof Number || value instanceof Boolean) {
      return value.toString();
    }
    throw bad(field, "must be a text");
  }

  private static String matching(String field, String text, Pattern allowed) {
    if (!allowed.matcher(text).matches()) {
      throw bad(field, "must match " + allowed.pattern() + ", not " + text);
    }
    return text;
  }

  private static Pattern pattern(String text) {
    try {
      return Pattern.compile(text);
    } catch (PatternSyntaxException broken) {
      throw bad("reserved", text + " is no regular expression: " + broken.getDescription());
    }
  }

  private static String sorted() {
    return String.join(", ", new TreeSet<>(FIELDS));
  }

  static IllegalArgumentException bad(String field, String problem) {
    return new IllegalArgumentException(field + " " + problem);
  }
}
