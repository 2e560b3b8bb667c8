package dev.fairlead.work.serving;

import dev.fairlead.kernel.resources.FileCatalogue;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The runtimes of this installation by name: the shipped files, and an operator's files, which may
 * replace a shipped runtime of the same name.
 */
public final class ModelRuntimes {
  private static final FileCatalogue<ModelRuntime> FILES =
      new FileCatalogue<>("/runtimes", RuntimeFile::read, ModelRuntime::name);

  private ModelRuntimes() {}

  /**
   * Adds an operator's runtimes for the whole process. Called once, before a service is read.
   *
   * @param files YAML by file name
   * @throws IllegalArgumentException for a file that is not a runtime, with its name and the field
   */
  public static void extend(SortedMap<String, String> files) {
    FILES.extend(files);
  }

  /** The result is empty for a name that no file has. */
  public static Optional<ModelRuntime> find(String name) {
    return FILES.find(name);
  }

  /** Lists the checks in order of their names. */
  public static List<ModelRuntime> all() {
    return FILES.all();
  }
}
