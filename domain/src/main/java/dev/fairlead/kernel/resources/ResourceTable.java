package dev.fairlead.kernel.resources;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Reads tables of comma-separated values without quotes. Lines that begin with {@code #} are
 * comments, and the first other line names the columns.
 */
public final class ResourceTable {
  private ResourceTable() {}

  /** Lines of a resource that ships with the domain. */
  public static List<String> lines(String resource) {
    try (InputStream file = ResourceTable.class.getResourceAsStream(resource)) {
      if (file == null) {
        throw new IllegalStateException("no resource " + resource);
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /**
   * Cells of each row, without spaces around them.
   *
   * @throws IllegalArgumentException for a row with another number of cells
   */
  public static List<List<String>> rows(List<String> lines, int columns) {
    return lines.stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .skip(1)
        .map(line -> cells(line, columns))
        .toList();
  }

  private static List<String> cells(String line, int columns) {
    String[] cells = line.split(",", -1);
    if (cells.length != columns) {
      throw new IllegalArgumentException(
          "a row needs " + columns + " cells, not " + cells.length + ": " + line);
    }
    return List.of(cells).stream().map(String::strip).toList();
  }
}
