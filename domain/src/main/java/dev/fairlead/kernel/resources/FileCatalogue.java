package dev.fairlead.kernel.resources;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Named things, each described by one YAML file: the shipped files, and an operator's files, which
 * may replace a shipped file of the same name.
 *
 * @param <T> value of a file
 */
public final class FileCatalogue<T> {
  private final Function<String, T> read;
  private final Function<T, String> name;
  private final SortedMap<String, T> shipped = new TreeMap<>();
  private volatile SortedMap<String, T> current;

  /**
   * @param directory directory of resources with the file {@code index}, which names the shipped
   *     files without {@code .yaml}
   * @param read reads YAML and throws {@link IllegalArgumentException} with the field
   */
  public FileCatalogue(String directory, Function<String, T> read, Function<T, String> name) {
    this.read = read;
    this.name = name;
    for (String file : ResourceTable.lines(directory + "/index")) {
      if (!file.isBlank()) {
        List<String> lines = ResourceTable.lines(directory + "/" + file + ".yaml");
        shipped.put(file, read.apply(String.join("\n", lines) + "\n"));
      }
    }
    current = Collections.unmodifiableSortedMap(shipped);
  }

  /**
   * Adds an operator's files for the whole process. Called once, before requests are read.
   *
   * @param files YAML by file name
   * @throws IllegalArgumentException for a file that cannot be used, with its name and the field,
   *     and for a second file with the same name of the thing
   */
  public void extend(SortedMap<String, String> files) {
    SortedMap<String, T> all = new TreeMap<>(shipped);
    SortedMap<String, String> given = new TreeMap<>();
    files.forEach((file, yaml) -> {
      try {
        T value = read.apply(yaml);
        String own = name.apply(value);
        String other = given.putIfAbsent(own, file);
        if (other != null) {
          throw new IllegalArgumentException("name %s is already used by %s".formatted(own, other));
        }
        all.put(own, value);
      } catch (IllegalArgumentException unusable) {
        throw new IllegalArgumentException(file + ": " + unusable.getMessage(), unusable);
      }
    });
    current = Collections.unmodifiableSortedMap(all);
  }

  /** The result is empty for a name that no file has. */
  public Optional<T> find(String wanted) {
    return Optional.ofNullable(current.get(wanted));
  }

  /** Lists the checks in order of their names. */
  public List<T> all() {
    return List.copyOf(current.values());
  }
}
