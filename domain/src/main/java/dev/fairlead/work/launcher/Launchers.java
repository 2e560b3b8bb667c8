package dev.fairlead.work.launcher;

import dev.fairlead.kernel.resources.FileCatalogue;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The launchers of this installation by name: the shipped files, and an operator's files, which may
 * replace a shipped launcher of the same name.
 */
public final class Launchers {
  private static final FileCatalogue<Launcher> FILES =
      new FileCatalogue<>("/launchers", LauncherFile::read, Launcher::name);

  private Launchers() {}

  /**
   * Adds an operator's launchers for the whole process. Called once, before a job is read.
   *
   * @param files YAML by file name
   * @throws IllegalArgumentException for a file that is not a launcher, with its name and the field
   */
  public static void extend(SortedMap<String, String> files) {
    FILES.extend(files);
  }

  /** The result is empty for a name that no file has. */
  public static Optional<Launcher> find(String name) {
    return FILES.find(name);
  }

  /**
   * The launcher of a job. If the file has been removed since the submit, members fail with a
   * message and do not start the program.
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

  /** Lists the checks in order of their names. */
  public static List<Launcher> all() {
    return FILES.all();
  }
}
