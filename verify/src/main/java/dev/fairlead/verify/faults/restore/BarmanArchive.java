package dev.fairlead.verify.faults.restore;

import dev.fairlead.launcher.StartFailed;
import dev.fairlead.launcher.WorkTree;
import dev.fairlead.verify.faults.chaos.ServerProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The tools of barman-cloud from PyPI, and a real S3 server. */
final class BarmanArchive implements Archive {
  private static final String KEY = "fairlead-restore-test";
  private static final String BUCKET = "backups";
  private static final String SERVER = "fairlead";
  private static final String BACKUP = "base";

  /** Exit code if it is unavailable. */
  private static final int MISSING = 3;

  private final Path programs;
  private final Path home;
  private final Process store;
  private final String address;
  private final Path keys;

  private BarmanArchive(Path programs, Path home, Process store, String address, Path keys) {
    this.programs = programs;
    this.home = home;
    this.store = store;
    this.address = address;
    this.keys = keys;
  }

  /** The tools or the server are unavailable here. */
  static final class Unavailable extends Exception {
    private static final long serialVersionUID = 1L;

    Unavailable(String why) {
      super(why);
    }
  }

  /**
   * @param home directory of logs and the server's data
   */
  static BarmanArchive start(Path home) throws Unavailable, IOException, InterruptedException {
    Path programs = Path.of(said(home, "tools/barman/barman.sh"));
    said(home, "tools/s3/server.sh");
    Path data = Files.createDirectory(home.resolve("s3"));
    Path keys = home.resolve("s3-keys");
    Files.writeString(
        keys, "[default]\naws_access_key_id=%1$s\naws_secret_access_key=%1$s\n".formatted(KEY));
    ProcessBuilder serve =
        new ProcessBuilder(
            WorkTree.root().resolve("tools/s3/serve").toString(), data.toString(), BUCKET);
    serve.environment().putAll(Map.of("AWS_ACCESS_KEY_ID", KEY, "AWS_SECRET_ACCESS_KEY", KEY));
    Process store = serve.redirectError(home.resolve("s3.log").toFile()).start();
    BufferedReader told = store.inputReader(StandardCharsets.UTF_8);
    String address = told.readLine();
    if (address == null) {
      throw new StartFailed("the S3 server did not start, see " + home.resolve("s3.log"));
    }
    return new BarmanArchive(programs, home, store, address, keys);
  }

  private static String said(Path home, String script)
      throws Unavailable, IOException, InterruptedException {
    Path log = home.resolve(Path.of(script).getFileName() + ".log");
    Process process =
        new ProcessBuilder(WorkTree.root().resolve(script).toString())
            .redirectError(log.toFile())
            .start();
    String said =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    int code = process.waitFor();
    if (code == MISSING) {
      throw new Unavailable(Files.readString(log).strip());
    }
    if (code != 0) {
      throw new StartFailed(script + " ended with code " + code + ", see " + log);
    }
    return said;
  }

  @Override
  public String text() {
    return "barman-cloud, into a bucket of an S3 server";
  }

  private String program(String name) {
    return programs.resolve(name).toString();
  }

  /** Common options of the programs. */
  private List<String> options() {
    return List.of("--endpoint-url", address, "--addressing-style", "path");
  }

  private String called(String name, String arguments) {
    return "env AWS_SHARED_CREDENTIALS_FILE=%s AWS_DEFAULT_REGION=us-east-1 %s %s s3://%s %s %s"
        .formatted(keys, program(name), String.join(" ", options()), BUCKET, SERVER, arguments);
  }

  @Override
  public String archiveCommand() {
    return called("barman-cloud-wal-archive", "%p");
  }

  @Override
  public String restoreCommand() {
    return called("barman-cloud-wal-restore", "%f %p");
  }

  @Override
  public void backUp(ServerProgram server, Connection superuser, String password)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(options());
    arguments.addAll(
        List.of(
            "--immediate-checkpoint", "-h", "127.0.0.1", "-p", Integer.toString(server.port())));
    arguments.addAll(List.of("-U", "postgres", "-n", BACKUP, "s3://" + BUCKET, SERVER));
    run("barman-cloud-backup", password, arguments);
  }

  @Override
  public void fetch(Path data) throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(options());
    arguments.addAll(List.of("s3://" + BUCKET, SERVER, BACKUP, data.toString()));
    run("barman-cloud-restore", "", arguments);
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
  }

  private void run(String name, String password, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program(name)));
    command.addAll(arguments);
    Path log = home.resolve(name + ".log");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder
        .environment()
        .putAll(
            Map.of(
                "AWS_SHARED_CREDENTIALS_FILE",
                keys.toString(),
                "AWS_DEFAULT_REGION",
                "us-east-1",
                "PGPASSWORD",
                password));
    int code = builder.redirectOutput(log.toFile()).start().waitFor();
    if (code != 0) {
      throw new IllegalStateException(
          name + " ended with code " + code + ": " + Files.readString(log).strip());
    }
  }

  /** The server ends when its standard input ends. */
  @Override
  public void close() {
    try {
      store.getOutputStream().close();
      int _ = store.waitFor();
    } catch (IOException gone) {
      store.destroy();
    } catch (InterruptedException e) {
      store.destroy();
      Thread.currentThread().interrupt();
    }
  }
}
