package dev.fairlead.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.fairlead.kernel.egress.TestIdentity;
import dev.fairlead.launcher.LoopbackPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A Prometheus over HTTPS that scrapes its targets every second. Without it, tests are skipped. */
final class TestPrometheus implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Path PROGRAM =
      Path.of("..", "tools", "prometheus", "program.sh").toAbsolutePath().normalize();

  private final HttpServer exporter;
  private final Process process;
  private final int port;
  private final Map<String, AtomicInteger> scrapes = new TreeMap<>();

  /**
   * @param labels labels of the target, as YAML
   * @param metrics in the Prometheus text format
   */
  record Target(String name, String labels, Supplier<String> metrics) {}

  TestPrometheus(Path directory, Target... targets) throws IOException, InterruptedException {
    Process found = new ProcessBuilder(PROGRAM.toString(), "prometheus").start();
    String program = new String(found.getInputStream().readAllBytes(), UTF_8).strip();
    assumeTrue(found.waitFor() == 0, "there is no Prometheus; see tools/prometheus/program.sh");
    exporter = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    StringBuilder config = new StringBuilder("global: {scrape_interval: 1s}\nscrape_configs:\n");
    for (Target target : targets) {
      serve(target);
      config.append(
          """
            - job_name: %1$s
              metrics_path: /%1$s
              static_configs: [{targets: ["127.0.0.1:%2$d"], labels: %3$s}]
          """
              .formatted(target.name(), exporter.getAddress().getPort(), target.labels()));
    }
    exporter.start();
    port = LoopbackPorts.anyPort();
    file(directory, "tls.crt", pem(TestIdentity.certificate()));
    file(directory, "tls.key", pem(TestIdentity.key()));
    String tls = "tls_server_config: {cert_file: tls.crt, key_file: tls.key}\n";
    process =
        new ProcessBuilder(
                program,
                "--config.file=" + file(directory, "prometheus.yml", config.toString()),
                "--web.config.file=" + file(directory, "web.yml", tls),
                "--web.listen-address=127.0.0.1:" + port,
                "--storage.tsdb.path=" + directory.resolve("data"))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("prometheus.log").toFile())
            .start();
  }

  private void serve(Target target) {
    AtomicInteger count = new AtomicInteger();
    scrapes.put(target.name(), count);
    exporter.createContext(
        "/" + target.name(),
        exchange -> {
          byte[] body = target.metrics().get().getBytes(UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
          int _ = count.incrementAndGet();
        });
  }

  private static String pem(String base64) {
    return new String(Base64.getDecoder().decode(base64), UTF_8);
  }

  private static Path file(Path directory, String name, String content) throws IOException {
    return Files.writeString(directory.resolve(name), content);
  }

  int port() {
    return port;
  }

  /** Waits until the current metrics of all targets have been scraped. */
  void awaitScrape() {
    scrapes.forEach((name, count) -> {
      int before = count.get();
      await("scrapes of " + name).atMost(PATIENCE).until(() -> count.get() > before + 2);
    });
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    int _ = process.waitFor();
    exporter.stop(0);
  }
}
