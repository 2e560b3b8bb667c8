package dev.fairlead.work.launcher;

import dev.fairlead.kernel.resources.FileFields;
import dev.fairlead.kernel.resources.ResourceTable;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Reads the YAML of one launcher and checks it. Every error names the field. */
final class LauncherFile {
  private static final Set<String> FIELDS =
      Set.of(
          "name",
          "description",
          "wrapper",
          "needsRun",
          "run",
          "roles",
          "ports",
          "env",
          "elastic",
          "repair",
          "reserved",
          "files");
  private static final Pattern SHARED_FILE = Pattern.compile("\\$\\{shared\\(([^)]*)\\)}");
  private static final Set<String> SHARED_FILES = Set.of("session");
  private static final int LEAST_PORT = 1_024;
  private static final int MOST_FILE_CHARACTERS = 64 * 1_024;

  private final FileFields fields;

  private LauncherFile(FileFields fields) {
    this.fields = fields;
  }

  /**
   * @throws IllegalArgumentException for text that is not a launcher, with the field and the reason
   */
  static Launcher read(String yaml) {
    return new LauncherFile(FileFields.read(yaml, "a launcher", FIELDS)).launcher();
  }

  private Launcher launcher() {
    Launcher launcher =
        LauncherBuilder.builder()
            .name(FileFields.matching("name", fields.text("name"), FileFields.NAME))
            .description(fields.text("description"))
            .wrapper(fields.words("wrapper"))
            .needsRun(fields.flag("needsRun"))
            .run(fields.words("run"))
            .roles(new TreeSet<>(fields.words("roles")))
            .ports(ports())
            .env(fields.variables("env"))
            .elastic(fields.has("elastic") ? fields.variables("elastic") : null)
            .repair(fields.has("repair") ? fields.variables("repair") : null)
            .reserved(fields.words("reserved").stream().map(LauncherFile::pattern).toList())
            .files(files())
            .build();
    check(launcher);
    return launcher;
  }

  /** Expressions are checked when the file is read, not when a job starts. */
  private static void check(Launcher launcher) {
    if (launcher.repairs() && !launcher.resizes()) {
      throw bad("repair", "needs elastic: a replacement member joins a running gang");
    }
    if (!launcher.wrapper().isEmpty() && !launcher.needsRun()) {
      throw bad("needsRun", "must be true with a wrapper, which must be followed by a command");
    }
    if (!launcher.run().isEmpty() && !launcher.needsRun()) {
      throw bad("run", "needs needsRun: true");
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

  private SortedMap<String, Integer> ports() {
    SortedMap<String, Integer> ports = new TreeMap<>();
    fields
        .mapping("ports")
        .forEach((name, value) -> {
          int port = FileFields.port("ports." + name, value, LEAST_PORT);
          ports.put(FileFields.matching("ports", name, FileFields.NAME), port);
        });
    return ports;
  }

  private SortedMap<String, String> files() {
    SortedMap<String, String> files = new TreeMap<>();
    fields
        .mapping("files")
        .forEach((name, value) -> {
          String text = shared(name, FileFields.scalar("files." + name, value));
          if (text.length() > MOST_FILE_CHARACTERS) {
            throw bad("files." + name, "has more than " + MOST_FILE_CHARACTERS + " characters");
          }
          files.put(FileFields.matching("files", name, FileFields.NAME), text);
        });
    return files;
  }

  /** A file that several launchers have is written once. */
  private static String shared(String name, String text) {
    Matcher named = SHARED_FILE.matcher(text);
    if (!named.matches()) {
      return text;
    }
    if (!SHARED_FILES.contains(named.group(1))) {
      throw bad(
          "files." + name,
          "has the shared file %s; the shared files are %s"
              .formatted(named.group(1), String.join(", ", SHARED_FILES)));
    }
    return String.join("\n", ResourceTable.lines("/launchers/shared/" + named.group(1))) + "\n";
  }

  private static Pattern pattern(String text) {
    try {
      return Pattern.compile(text);
    } catch (PatternSyntaxException broken) {
      throw bad("reserved", text + " is not a regular expression: " + broken.getDescription());
    }
  }

  static IllegalArgumentException bad(String field, String problem) {
    return FileFields.bad(field, problem);
  }
}
