package dev.fairlead.verify.faults.chaos;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A base backup by PostgreSQL's low-level API ({@code pg_backup_start}, a copy of the files, {@code
 * pg_backup_stop}), because the embedded server lacks {@code pg_basebackup}.
 */
public final class ServerBackup {
  private static final String AUTO_CONF = "postgresql.auto.conf";

  private ServerBackup() {}

  /**
   * Copies the data directory of a running server.
   *
   * @param connection connection of a superuser to that server
   * @param to must not exist yet
   */
  public static void copy(Connection connection, Path data, Path to)
      throws SQLException, IOException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_backup_start('fairlead', true)");
      copy(data, to);
      try (ResultSet row = statement.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
        row.next();
        Files.writeString(to.resolve("backup_label"), row.getString(1));
      }
    }
    Files.delete(to.resolve("postmaster.pid"));
  }

  /** Appends settings to the file of {@code ALTER SYSTEM}. The last setting of a name applies. */
  public static void set(Path data, String settings) throws IOException {
    Files.writeString(
        data.resolve(AUTO_CONF), settings, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** Copies files and skips files that the server removes during the copy. */
  public static void copy(Path from, Path to) throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
              throws IOException {
            Files.copy(
                directory,
                to.resolve(from.relativize(directory)),
                StandardCopyOption.COPY_ATTRIBUTES);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            try {
              Files.copy(
                  file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
            } catch (NoSuchFileException removed) {
              return FileVisitResult.CONTINUE;
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
