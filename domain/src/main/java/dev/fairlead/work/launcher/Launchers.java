package dev.fairlead.work.launcher;

import dev.fairlead.kernel.resources.ResourceTable;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The launchers of this installation by name: the shipped files, and an operator's files, which may
 * replace a shipped launcher of the same name.
 */
public final class Launchers {
  private static final List<String> SHIPPED_NAMES =
      ResourceTable.lines("/launchers/index").stream().filter(line -> !line.isBlank()).toList();

  private static final SortedMap<String, Launcher> SHIPPED = shipped();

  private static volatile SortedMap<String, Launcher> current = SHIPPED;

  private Launchers() {}

  private static SortedMap<String, Launcher> shipped() {
    SortedMap<String, Launcher> launchers = new TreeMap<>();
    for (String name : SHIPPED_NAMES) {
      List<String> lines = ResourceTable.lines("/launchers/" + name + ".yaml");
      launchers.put(name, LauncherFile.read(String.join("\n", lines) + "\n"));
    }
    return launchers;
  }

  /**
   * Adds an operator's launchers for the whole process. Called once, before a job is read.
   *
   * @param files YAML by file name
   * @throws IllegalArgumentException for a file that is not a launcher, with its name and the field
   */
  public static void extend(SortedMap<String, String> files) {
    SortedMap<String, Launcher> all = new TreeMap<>(SHIPPED);
    files.forEach((file, yaml) -> {
      try {
        Launcher launcher = LauncherFile.read(yaml);
        all.put(launcher.name(), launcher);
      } catch (IllegalArgumentException unusable) {
        throw new IllegalArgumentException(file + ": " + unusable.getMessage(), unusable);
      }
    });
    current = Collections.unmodifiableSortedMap(all);
  }

  /** Empty for a name that no file has. */
  public static Optional<Launcher> find(String name) {
    return Optional.ofNullable(current.get(name));
  }

  /**
   * The launcher of a job. When its file has been removed since the job was submitted, members fail
   * with a message about it, and without a start of the program.
   */
  public static Launcher of(String name) {
    return find(name).orElseGet(() -> missing(name));
  }

  private static Launcher missing(String name) {
    String message = "launcher %s does not exist: add its file or cancel the job".formatted(name);
    return LauncherFile.read(
        """
        name: "%s"
        description: Fails, because its file was removed
        wrapper: [/bin/sh, -c, "echo '%s' >&2; exit 78"]
        needsRun: true
        elastic: {}
        """
            .formatted(name, message));
  }

  /** In the order of their names. */
  public static List<Launcher> all() {
    return List.copyOf(current.values());
  }
}
