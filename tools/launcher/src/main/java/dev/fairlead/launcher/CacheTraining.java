package dev.fairlead.launcher;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Creates the class cache of an image or a release archive: starts the service on an embedded
 * database, runs {@link TrainingJobs}, and stops it. The cache contains the classes that the run
 * loaded and linked, and the profiles of their methods. Arguments: the file, and the JVM flags of
 * the service at its destination.
 */
public final class CacheTraining {
  private static final Duration READY_WAIT = Duration.ofMinutes(45);
  private static final Duration WRITE_WAIT = Duration.ofMinutes(45);
  private static final Duration POLL = Duration.ofMillis(200);

  private static final int LOG_LINES = 25;

  /** Smallest valid cache: a run that ended much too early writes a smaller cache. */
  private static final long LEAST_BYTES = 100_000_000;

  private CacheTraining() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Path cache = Path.of(args[0]).toAbsolutePath();
    try {
      train(cache, Arrays.asList(args).subList(1, args.length));
    } catch (StartFailed failed) {
      System.err.println("cache of classes: " + failed.getMessage());
      System.exit(1);
    }
  }

  private static void train(Path cache, List<String> start)
      throws IOException, InterruptedException {
    LoopbackPorts ports = LoopbackPorts.any();
    Path log = Files.createTempFile("fairlead-training", ".log");
    try (EmbeddedDatabase database = EmbeddedDatabase.start()) {
      Process service = started(cache, start, database, ports, log);
      try {
        awaitReady(service, ports, log);
        try (FairleadApi api = new FairleadApi(ports.address(), null)) {
          TrainingJobs.run(api);
        }
        service.destroy();
        if (!service.waitFor(WRITE_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
          throw failed("it did not write the cache within " + WRITE_WAIT, log);
        }
      } finally {
        service.destroyForcibly();
      }
    }
    if (!Files.exists(cache) || Files.size(cache) < LEAST_BYTES) {
      throw failed("no cache was written, or only a small one", log);
    }
    Files.delete(log);
  }

  private static Process started(
      Path cache, List<String> start, EmbeddedDatabase database, LoopbackPorts ports, Path log)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:AOTCacheOutput=" + cache);
    command.addAll(start);
    ProcessBuilder builder = new ProcessBuilder(command);
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("FAIRLEAD_"));
    environment.put("FAIRLEAD_BIND", "127.0.0.1");
    environment.put("FAIRLEAD_API_REQUESTS_PER_MINUTE", "0");
    environment.put("FAIRLEAD_PORT", Integer.toString(ports.api()));
    environment.put("FAIRLEAD_MANAGEMENT_PORT", Integer.toString(ports.management()));
    environment.put("FAIRLEAD_DB_URL", database.url());
    environment.put("FAIRLEAD_DB_USER", database.user());
    environment.put("FAIRLEAD_DB_PASSWORD", database.password());
    return builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
  }

  private static void awaitReady(Process service, LoopbackPorts ports, Path log)
      throws InterruptedException {
    HttpRequest probe =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + ports.management() + "/actuator/health/readiness"))
            .timeout(Duration.ofSeconds(5))
            .build();
    long end = System.nanoTime() + READY_WAIT.toNanos();
    try (HttpClient client = HttpClient.newHttpClient()) {
      while (!ready(client, probe)) {
        if (!service.isAlive() || System.nanoTime() > end) {
          throw failed("the service did not become ready", log);
        }
        Thread.sleep(POLL);
      }
    }
  }

  private static boolean ready(HttpClient client, HttpRequest probe) throws InterruptedException {
    try {
      return client.send(probe, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false; // not listening yet
    }
  }

  private static StartFailed failed(String what, Path log) {
    try {
      List<String> lines = Files.readAllLines(log);
      List<String> last = lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size());
      return new StartFailed(what + ":\n" + String.join("\n", last));
    } catch (IOException e) {
      return new StartFailed(what);
    }
  }
}
