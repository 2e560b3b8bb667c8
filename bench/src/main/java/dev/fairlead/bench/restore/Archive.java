package dev.fairlead.bench.restore;

import dev.fairlead.bench.chaos.ServerProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

/** Where the base backup of a server and its write-ahead log are kept, and by what. */
interface Archive extends AutoCloseable {
  /** For people. */
  String text();

  /** As PostgreSQL calls it: {@code %p} is the file, {@code %f} its name. */
  String archiveCommand();

  /** As PostgreSQL calls it. */
  String restoreCommand();

  /**
   * Makes the base backup of a server that serves.
   *
   * @param superuser of it
   */
  void backUp(ServerProgram server, Connection superuser, String password)
      throws SQLException, IOException, InterruptedException;

  /**
   * Puts the base backup there.
   *
   * @param data must not exist yet
   */
  void fetch(Path data) throws IOException, InterruptedException;

  @Override
  void close();
}
