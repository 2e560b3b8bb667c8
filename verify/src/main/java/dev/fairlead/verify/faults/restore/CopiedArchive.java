package dev.fairlead.verify.faults.restore;

import dev.fairlead.verify.faults.chaos.ServerBackup;
import dev.fairlead.verify.faults.chaos.ServerProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

/** Copies files, using only PostgreSQL's own interfaces. */
final class CopiedArchive implements Archive {
  private final Path log;
  private final Path backup;

  CopiedArchive(Path home) throws IOException {
    this.log = Files.createDirectory(home.resolve("archive"));
    this.backup = home.resolve("backup");
  }

  @Override
  public String text() {
    return "copies of files";
  }

  /** An interrupted copy must not have the name of a complete one. */
  @Override
  public String archiveCommand() {
    return "test ! -f %1$s/%%f && cp %%p %1$s/part && mv %1$s/part %1$s/%%f".formatted(log);
  }

  @Override
  public String restoreCommand() {
    return "cp %s/%%f %%p".formatted(log);
  }

  @Override
  public void backUp(ServerProgram server, Connection superuser, String password)
      throws SQLException, IOException {
    ServerBackup.copy(superuser, server.data(), backup);
  }

  @Override
  public void fetch(Path data) throws IOException {
    ServerBackup.copy(backup, data);
  }

  @Override
  public void close() {}
}
