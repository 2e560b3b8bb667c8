package dev.fairlead.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Directory of one embedded server: {@code <tmp>/fairlead-postgres-<user>/<jvm pid>-<jvm
 * start>-<random>}. The name identifies the JVM that owns it, and the server's own pid file
 * identifies the process that serves it. A pid counts only together with its start time, so that a
 * process with a reused number is never touched.
 */
final class DatabaseHome {
  private static final Pattern NAME = Pattern.compile("([0-9]+)-([0-9]+)-.*");

  /**
   * Start times are derived from the machine's boot time, which moves a little when its clock is
   * set.
   */
  private static final Duration TOLERANCE = Duration.ofSeconds(3);

  private static final Duration STOP_WAIT = Duration.ofSeconds(10);
  private static final int LOG_LINES = 20;

  private final Path directory;
  private final @Nullable FileChannel keptBy;

  private DatabaseHome(Path directory, @Nullable FileChannel keptBy) {
    this.directory = directory;
    this.keptBy = keptBy;
  }

  /**
   * A persistent directory, owned by this JVM until it is removed or the JVM ends.
   *
   * @throws StartFailed when another JVM owns it
   */
  static DatabaseHome kept(Path directory) throws IOException {
    Files.createDirectories(directory);
    FileChannel lock =
        FileChannel.open(
            directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (!locked(lock)) {
      lock.close();
      throw new StartFailed(directory + " is in use by another launcher: stop that launcher first");
    }
    return new DatabaseHome(directory, lock);
  }

  private static boolean locked(FileChannel lock) throws IOException {
    try {
      return lock.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false; // held by this JVM
    }
  }

  static DatabaseHome create() throws IOException {
    ProcessHandle self = ProcessHandle.current();
    long started = self.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    Path made = Files.createTempDirectory(parent(), self.pid() + "-" + started + "-");
    return new DatabaseHome(made, null);
  }

  /** A directory with the data of a stopped server. */
  static DatabaseHome copyOf(DatabaseHome other) throws IOException {
    DatabaseHome copy = create();
    try (Stream<Path> all = Files.walk(other.data())) {
      for (Path path : all.toList()) {
        Path to = copy.data().resolve(other.data().relativize(path));
        Files.copy(path, to, StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
    return copy;
  }

  /** Stops the servers and removes the directories of JVMs that have ended. */
  static void sweep() {
    try {
      sweep(parent());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void sweep(Path parent) {
    try (DirectoryStream<Path> homes = Files.newDirectoryStream(parent)) {
      for (Path home : homes) {
        Matcher name = NAME.matcher(home.getFileName().toString());
        if (name.matches() && !runs(Long.parseLong(name.group(1)), owner(name))) {
          new DatabaseHome(home, null).remove();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Instant owner(Matcher name) {
    return Instant.ofEpochMilli(Long.parseLong(name.group(2)));
  }

  private static Path parent() throws IOException {
    Path parent =
        Path.of(
            System.getProperty("java.io.tmpdir"),
            "fairlead-postgres-" + System.getProperty("user.name"));
    if (!Files.isDirectory(parent)) {
      Files.createDirectories(
          parent,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    return parent;
  }

  Path data() {
    return directory.resolve("data");
  }

  Path log() {
    return directory.resolve("server.log");
  }

  /** Directory for the output of jobs of this database. */
  Path jobLogs() {
    return directory.resolve("job-logs");
  }

  /** The last lines of the log, empty without a log. */
  String logTail() {
    try {
      List<String> lines = Files.readAllLines(log());
      return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
    } catch (IOException e) {
      return "";
    }
  }

  /** Stops the server and deletes the directory, unless it is persistent. */
  void remove() {
    killServer();
    if (keptBy != null) {
      unlock(keptBy);
      return;
    }
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException | UncheckedIOException e) {
      return; // another JVM or the server is writing here, and the next sweep removes it
    }
  }

  private static void unlock(FileChannel lock) {
    try {
      lock.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills the servers of the pid files here, if those very processes still run. */
  void killServer() {
    directories().stream()
        .flatMap(data -> server(data).stream())
        .forEach(process -> {
          process.destroy();
          if (!ended(process, STOP_WAIT)) {
            process.destroyForcibly();
            ended(process, STOP_WAIT);
          }
        });
  }

  /** Data directories of the server and of its peers, such as a standby. */
  private List<Path> directories() {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(Files::isDirectory).toList();
    } catch (IOException e) {
      return List.of(data());
    }
  }

  /** Line 1 of {@code postmaster.pid} is the pid, line 3 the start in seconds since the epoch. */
  private static Optional<ProcessHandle> server(Path data) {
    try {
      List<String> lines = Files.readAllLines(data.resolve("postmaster.pid"));
      long pid = Long.parseLong(lines.get(0).strip());
      Instant started = Instant.ofEpochSecond(Long.parseLong(lines.get(2).strip()));
      return ProcessHandle.of(pid).filter(p -> startedAt(p, started));
    } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
      return Optional.empty();
    }
  }

  private static boolean runs(long pid, Instant started) {
    return ProcessHandle.of(pid).filter(p -> startedAt(p, started)).isPresent();
  }

  private static boolean startedAt(ProcessHandle process, Instant expected) {
    return process
        .info()
        .startInstant()
        .filter(at -> Duration.between(at, expected).abs().compareTo(TOLERANCE) <= 0)
        .isPresent();
  }

  private static boolean ended(ProcessHandle process, Duration wait) {
    try {
      process.onExit().get(wait.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
      return false;
    }
  }
}
