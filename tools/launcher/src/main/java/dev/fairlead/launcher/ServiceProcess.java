package dev.fairlead.launcher;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The service in a separate JVM, which ends with this one. */
public final class ServiceProcess implements AutoCloseable {
  private static final String MAIN = "dev.fairlead.FairleadApplication";
  private static final Duration STOP_WAIT = Duration.ofSeconds(20);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final int LOG_LINES = 25;
  private static final int INTERRUPTED = 130;
  private static final int TERMINATED = 143;

  private final ServiceSettings settings;
  private final Process process;
  private final Path starting;
  private final long startedNanos;

  private ServiceProcess(
      ServiceSettings settings, Process process, Path starting, long startedNanos) {
    this.settings = settings;
    this.process = process;
    this.starting = starting;
    this.startedNanos = startedNanos;
  }

  /**
   * @throws StartFailed when no process could be started
   */
  public static ServiceProcess start(ServiceSettings settings) {
    return start(settings, MAIN);
  }

  static ServiceProcess start(ServiceSettings settings, String main) {
    Path starting = startingFile();
    ProcessBuilder builder = new ProcessBuilder(command(settings, starting, main));
    Map<String, String> environment = builder.environment();
    environment.putAll(settings.environment());
    environment.put("FAIRLEAD_PORT", Integer.toString(settings.ports().api()));
    environment.put("FAIRLEAD_MANAGEMENT_PORT", Integer.toString(settings.ports().management()));
    builder.redirectErrorStream(true);
    Path log = settings.log();
    builder.redirectOutput(
        log == null ? ProcessBuilder.Redirect.INHERIT : ProcessBuilder.Redirect.to(log.toFile()));
    try {
      long now = System.nanoTime();
      return new ServiceProcess(settings, builder.start(), starting, now);
    } catch (IOException e) {
      throw new StartFailed("the service could not be started: " + e.getMessage(), e);
    }
  }

  /** A file that the child deletes once it has started. */
  private static Path startingFile() {
    try {
      Path file = Files.createTempFile("fairlead-starting", null);
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new StartFailed("no temporary file can be made: " + e.getMessage(), e);
    }
  }

  private static List<String> command(ServiceSettings settings, Path starting, String main) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(WorkTree.serviceFlags(settings.classpath()));
    command.addAll(settings.jvmFlags());
    command.add("-cp");
    command.add(settings.classpath() + System.getProperty("path.separator") + ownClasses());
    command.add(ServiceChild.class.getName());
    command.add(starting.toString());
    command.add(main);
    return command;
  }

  private static Path ownClasses() {
    try {
      return Path.of(
          ServiceChild.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new StartFailed("the launcher's own classes cannot be found", e);
    }
  }

  /** {@code http://127.0.0.1:8080}, without a slash at the end. */
  public URI address() {
    return settings.ports().address();
  }

  /** Address of health and metrics. */
  public URI managementAddress() {
    return URI.create("http://127.0.0.1:" + settings.ports().management());
  }

  public long pid() {
    return process.pid();
  }

  public boolean running() {
    return process.isAlive();
  }

  /**
   * Waits until the service is ready. Another process at its port does not count: the child itself
   * must have started.
   *
   * @return time since the process was started
   * @throws StartFailed when it ended or took longer. The message has the end of its log
   */
  public Duration awaitReady(Duration most) throws InterruptedException {
    HttpRequest probe =
        HttpRequest.newBuilder(managementAddress().resolve("/actuator/health/readiness"))
            .timeout(Duration.ofSeconds(5))
            .build();
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      while (!process.isAlive() || Files.exists(starting) || !ready(client, probe)) {
        if (!process.isAlive()) {
          throw new StartFailed("the service ended with code " + process.exitValue() + logTail());
        }
        if (age().compareTo(most) > 0) {
          throw new StartFailed(
              "the service was not ready within " + most.toSeconds() + " s" + logTail());
        }
        Thread.sleep(POLL);
      }
    }
    return age();
  }

  private static boolean ready(HttpClient client, HttpRequest probe) throws InterruptedException {
    try {
      return client.send(probe, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false; // not listening yet
    }
  }

  private Duration age() {
    return Duration.ofNanos(System.nanoTime() - startedNanos);
  }

  /**
   * Waits until the process ends. Ctrl-C on a terminal reaches it as well as this process.
   *
   * @throws StartFailed when it ended without a signal. The message has the end of its log
   */
  public void awaitEnd() throws InterruptedException {
    int code = process.waitFor();
    if (code != 0 && code != INTERRUPTED && code != TERMINATED) {
      throw new StartFailed("the service ended with code " + code + logTail());
    }
  }

  /** The last lines of its log with a heading, empty when it has none. */
  public String logTail() {
    Path log = settings.log();
    if (log == null) {
      return "";
    }
    try {
      List<String> lines = Files.readString(log, StandardCharsets.UTF_8).lines().toList();
      List<String> last = lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size());
      return "; end of " + log + ":\n" + String.join("\n", last);
    } catch (IOException e) {
      return "; its log " + log + " cannot be read";
    }
  }

  /** Terminates the process, so that it releases its leases, and kills it if that fails. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
