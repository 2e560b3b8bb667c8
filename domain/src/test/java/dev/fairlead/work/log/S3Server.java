package dev.fairlead.work.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
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
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * A real S3 server on 127.0.0.1 with an empty bucket, one for each JVM of tests: SeaweedFS ({@code
 * tools/s3}), or the server of {@code FAIRLEAD_TEST_S3_URL}, with the bucket and the keys below.
 */
public record S3Server(String endpoint) {
  public static final String BUCKET = "logs";
  public static final String ACCESS_KEY = "fairlead-test";
  public static final String SECRET_KEY = "fairlead-test-secret";
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int TRIES = 5;
  private static final String TIED =
      "exec 3<&0; \"$@\" </dev/null 3<&- & server=$!;"
          + " { read -r end <&3; kill -9 $server; } 2>/dev/null & watch=$!;"
          + " wait $server; kill $watch 2>/dev/null";

  private static final class Shared {
    private static final S3Server SERVER = start();
  }

  /** Skips the test without a server, which is a failure if {@code CI=true}. */
  public static S3Server get() {
    return Shared.SERVER;
  }

  private static S3Server start() {
    String given = System.getenv("FAIRLEAD_TEST_S3_URL");
    if (given != null) {
      return new S3Server(given);
    }
    try {
      String program = program();
      for (int attempt = 0; attempt < TRIES; attempt++) {
        S3Server server = start(program);
        if (server != null) {
          return server;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new IllegalStateException("the S3 server did not start");
  }

  private static String program() throws IOException, InterruptedException {
    Path script = Path.of(System.getProperty("fairlead.root", ".."), "tools/s3/server.sh");
    Process process = new ProcessBuilder(script.toString()).redirectErrorStream(true).start();
    String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    boolean there = process.waitFor() == 0;
    if (!there && !"true".equals(System.getenv("CI"))) {
      Assumptions.abort(told);
    }
    if (!there) {
      throw new IllegalStateException(told);
    }
    return told.strip();
  }

  /**
   * The result is null if the server has ended, for example because another process has its port.
   */
  private static S3Server start(String program) throws IOException, InterruptedException {
    Path work = Files.createTempDirectory("fairlead-s3-");
    List<String> options =
        List.of(
            "admin.port",
            "admin.port.grpc",
            "master.port",
            "master.port.grpc",
            "volume.port",
            "volume.port.grpc",
            "filer.port.grpc",
            "s3.port.grpc",
            "filer.port",
            "s3.port");
    List<Integer> ports = freePorts(options.size());
    List<String> command =
        new ArrayList<>(
            List.of(
                program,
                "mini",
                "-dir=" + work,
                "-ip=127.0.0.1",
                "-ip.bind=127.0.0.1",
                "-admin.ui=false",
                "-webdav=false",
                "-s3.port.iceberg=0",
                "-s3.port.lance=0",
                "-bucket=" + BUCKET));
    for (int i = 0; i < options.size(); i++) {
      command.add("-" + options.get(i) + "=" + ports.get(i));
    }
    ProcessBuilder builder = tied(command).redirectErrorStream(true);
    builder.redirectOutput(work.resolve("log").toFile()).directory(work.toFile());
    builder
        .environment()
        .putAll(Map.of("AWS_ACCESS_KEY_ID", ACCESS_KEY, "AWS_SECRET_ACCESS_KEY", SECRET_KEY));
    Process process = builder.start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(process, work)));
    S3Server server = new S3Server("http://127.0.0.1:" + ports.getLast());
    return server.answers(process, ports.get(options.indexOf("filer.port"))) ? server : null;
  }

  /**
   * The command ends when its standard input closes, which the system does when the JVM is killed.
   */
  static ProcessBuilder tied(List<String> command) {
    List<String> tied = new ArrayList<>(List.of("sh", "-c", TIED, "sh"));
    tied.addAll(command);
    return new ProcessBuilder(tied);
  }

  /** Returns ports that were open at the same time, so that no two are equal. */
  private static List<Integer> freePorts(int count) throws IOException {
    List<ServerSocket> held = new ArrayList<>();
    try {
      while (held.size() < count) {
        held.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      return held.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket each : held) {
        each.close();
      }
    }
  }

  /**
   * Returns whether the bucket exists. A request without a key is refused whether the filer is
   * ready or not, up to a second earlier, so the filer, which stores buckets as directories, is
   * queried too.
   */
  private boolean answers(Process process, int filer) throws InterruptedException {
    long until = System.nanoTime() + PATIENCE.toNanos();
    try (HttpClient http = HttpClient.newHttpClient()) {
      while (process.isAlive() && System.nanoTime() < until) {
        if (answered(http, "http://127.0.0.1:" + filer + "/buckets/" + BUCKET + "/", 200)
            && answered(http, endpoint + "/" + BUCKET, 403)) {
          return true;
        }
        process.waitFor(50, TimeUnit.MILLISECONDS);
      }
    }
    process.destroyForcibly();
    return false;
  }

  private static boolean answered(HttpClient http, String url, int status)
      throws InterruptedException {
    try {
      HttpRequest look = HttpRequest.newBuilder(URI.create(url)).build();
      return http.send(look, HttpResponse.BodyHandlers.discarding()).statusCode() == status;
    } catch (IOException notYet) {
      return false;
    }
  }

  private static void end(Process process, Path work) {
    try {
      process.getOutputStream().close();
    } catch (IOException ended) {
      // it ends on its own
    }
    process.onExit().join();
    try (var files = Files.walk(work)) {
      files.sorted(java.util.Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException left) {
      // in the folder for temporary files
    }
  }

  /** A prefix that no other test has. */
  public static String newPrefix() {
    return "test/" + UUID.randomUUID();
  }
}
