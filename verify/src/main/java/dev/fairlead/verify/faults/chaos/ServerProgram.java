package dev.fairlead.verify.faults.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The command that starts a PostgreSQL server on a data directory, and its process.
 *
 * @param command program and arguments
 * @param port port of 127.0.0.1
 */
public record ServerProgram(List<String> command, Path data, int port) {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  public ServerProgram {
    command = List.copyOf(command);
  }

  /** The command of the running server. */
  public static ServerProgram running(Path data, int port) {
    ProcessHandle server = process(data).orElseThrow();
    List<String> command = new ArrayList<>(root() ? List.of("unshare", "-U") : List.of());
    command.add(server.info().command().orElseThrow());
    command.addAll(List.of(server.info().arguments().orElseThrow()));
    return new ServerProgram(command, data, port);
  }

  /** PostgreSQL does not run as root, so a separate user namespace maps root to nobody. */
  private static boolean root() {
    try {
      return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A copy with another directory and port. */
  public ServerProgram in(Path other, int itsPort) {
    List<String> words =
        command.stream()
            .map(word -> word.equals(data.toString()) ? other.toString() : word)
            .map(word -> word.replaceFirst("^(-p *|port=|)" + port + "$", "$1" + itsPort))
            .toList();
    return new ServerProgram(words, other, itsPort);
  }

  /** Starts the server without waiting for connections. */
  public void begin(Path log) {
    ProcessBuilder.Redirect to = ProcessBuilder.Redirect.appendTo(log.toFile());
    try {
      new ProcessBuilder(command).redirectOutput(to).redirectError(to).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Stops like {@code pg_ctl stop -m immediate}: no checkpoint, every connection is dropped. */
  public void stopImmediately() {
    process()
        .ifPresent(server -> {
          Signals.send("QUIT", Stream.of(server));
          server.onExit().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        });
  }

  /** The process of its pid file, empty if none. */
  Optional<ProcessHandle> process() {
    return process(data);
  }

  private static Optional<ProcessHandle> process(Path data) {
    Path pidFile = data.resolve("postmaster.pid");
    if (!Files.exists(pidFile)) {
      return Optional.empty();
    }
    try {
      return ProcessHandle.of(Long.parseLong(Files.readAllLines(pidFile).getFirst().strip()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
