package dev.fairlead.kernel.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** A statement in a file below {@code sql/} of the class path. */
public final class SqlFile {
  private final String text;

  private SqlFile(String text) {
    this.text = text;
  }

  /**
   * Reads the file once.
   *
   * @param name path below {@code sql/} without ending, {@code job/insert-jobs}
   * @throws IllegalStateException if the file does not exist
   */
  public static SqlFile named(String name) {
    try (InputStream file = SqlFile.class.getResourceAsStream("/sql/" + name + ".sql")) {
      if (file == null) {
        throw new IllegalStateException("no statement named " + name);
      }
      return new SqlFile(new String(file.readAllBytes(), StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String text() {
    return text;
  }
}
