package dev.fairlead.work.workload.slurm;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.egress.FakeHttps;
import dev.fairlead.kernel.keyring.Secret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Slurm of Debian on this machine, started by {@code tools/slurm/slurm.sh}, with slurmrestd behind
 * a proxy with TLS. Tests are skipped with the reason where the packages cannot be had. The
 * environment variable {@code SLURM_SUITE} names another suite of Debian, with another Slurm.
 */
public final class RealSlurm implements AutoCloseable {
  private static final int LACKING = 3;
  private static final int UNANSWERED = 503;

  private final Path packages;
  private final Path directory;
  private final Process process;
  private final FakeHttps proxy;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private volatile boolean down;

  private RealSlurm(Path packages, Path directory, Process process) {
    this.packages = packages;
    this.directory = directory;
    this.process = process;
    this.proxy = new FakeHttps((exchange, number) -> forward(exchange));
  }

  /** Starts Slurm with nodes of four cores and two GPUs. */
  public static RealSlurm start(int nodes) {
    try {
      Path script = root().resolve("tools/slurm/slurm.sh");
      Process packing = new ProcessBuilder(script.toString(), "packages").start();
      String packed = text(packing.getInputStream().readAllBytes());
      String lacking = text(packing.getErrorStream().readAllBytes());
      assumeTrue(packing.waitFor() != LACKING, lacking);
      Path directory = Files.createTempDirectory("fairlead-slurm-");
      Process process =
          new ProcessBuilder(
                  script.toString(),
                  "rest",
                  packed,
                  directory.toString(),
                  Integer.toString(nodes),
                  "4")
              .redirectError(Redirect.INHERIT)
              .start();
      String said = process.inputReader(StandardCharsets.UTF_8).readLine();
      if (said == null || !said.startsWith("ready")) {
        throw new IllegalStateException("Slurm did not start: " + said);
      }
      return new RealSlurm(Path.of(packed), directory, process);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stopped);
    }
  }

  private static Path root() {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("mvnw"))) {
      root = root.getParent();
    }
    return root;
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8).strip();
  }

  public Connection.Slurm connection() {
    return connection(read("token"));
  }

  public Connection.Slurm connection(String token) {
    return new Connection.Slurm(proxy.url(), proxy.caData(), "root", new Secret(token));
  }

  /** URL of the proxy by its address. */
  public String url() {
    return proxy.url().replace("cluster.example", "127.0.0.1");
  }

  private String read(String file) {
    try {
      return Files.readString(directory.resolve(file)).strip();
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  /** Lets the proxy respond without slurmrestd. */
  public void down(boolean now) {
    down = now;
  }

  private void forward(HttpExchange exchange) throws IOException {
    if (down) {
      FakeHttps.send(exchange, UNANSWERED, "no upstream");
      return;
    }
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + read("rest") + exchange.getRequestURI()))
            .method(
                exchange.getRequestMethod(),
                HttpRequest.BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
    for (String header : List.of("X-SLURM-USER-NAME", "X-SLURM-USER-TOKEN", "Content-Type")) {
      String value = exchange.getRequestHeaders().getFirst(header);
      if (value != null) {
        request.header(header, value);
      }
    }
    try {
      HttpResponse<String> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      FakeHttps.send(exchange, answer.statusCode(), answer.body());
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** Environment of Slurm programs, with the paths of their libraries and configuration. */
  public SortedMap<String, String> environment() {
    SortedMap<String, String> environment = new TreeMap<>();
    environment.put("SLURM_CONF", directory.resolve("slurm.conf").toString());
    environment.put("PATH", packages.resolve("usr/bin") + ":/usr/bin:/bin");
    if (hasRoot()) {
      return environment;
    }
    try (Stream<Path> entries = Files.list(packages.resolve("usr/lib"))) {
      Path libraries =
          entries.filter(one -> one.toString().endsWith("-linux-gnu")).findFirst().orElseThrow();
      environment.put("LD_LIBRARY_PATH", libraries + ":" + libraries.resolve("slurm-wlm"));
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
    return environment;
  }

  /** Returns whether Slurm runs in a root of its own, with other libraries than this machine. */
  private boolean hasRoot() {
    return Files.exists(packages.resolve("usr/bin/bash"));
  }

  private List<String> line(String program) {
    List<String> line = new ArrayList<>();
    if (hasRoot()) {
      long inside = process.children().findFirst().orElseThrow().pid();
      line.addAll(List.of("nsenter", "--target=" + inside, "--mount", "--root", "--wdns=/"));
    }
    line.add(packages.resolve("usr/bin/" + program).toString());
    return line;
  }

  /** Output of a Slurm command. */
  public String command(String program, String... words) {
    try {
      List<String> line = line(program);
      line.addAll(List.of(words));
      ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
      builder.environment().putAll(environment());
      return text(builder.start().getInputStream().readAllBytes());
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  @Override
  public void close() {
    proxy.close();
    client.close();
    try {
      process.getOutputStream().close();
      process.waitFor();
      try (Stream<Path> files = Files.walk(directory)) {
        files.sorted((one, other) -> other.compareTo(one)).forEach(file -> file.toFile().delete());
      }
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
