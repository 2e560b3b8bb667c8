package dev.fairlead.verify.faults.restore;

import dev.fairlead.verify.faults.chaos.ServerProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

/** Storage of the base backup of a server and its write-ahead log. */
interface Archive extends AutoCloseable {
  /** Description for the output. */
  String text();

  /** {@code archive_command} of PostgreSQL: {@code %p} is the file, {@code %f} its name. */
  String archiveCommand();

  /** {@code restore_command} of PostgreSQL. */
  String restoreCommand();

  /**
   * Creates the base backup of a running server.
   *
   * @param superuser superuser of the server
   */
  void backUp(ServerProgram server, Connection superuser, String password)
      throws SQLException, IOException, InterruptedException;

  /**
   * Restores the base backup to a directory.
   *
   * @param data must not exist yet
   */
  void fetch(Path data) throws IOException, InterruptedException;

  @Override
  void close();
}
