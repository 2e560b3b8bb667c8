package dev.fairlead.work.workload.kubernetes;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * A Traefik of {@code tools/gateway/traefik.sh}, as the controller of a GatewayClass. Addresses of
 * simulated pods are added to the loopback device, and servers of this JVM listen on them.
 */
public final class RealTraefik implements AutoCloseable {
  public static final String CONTROLLER = "traefik.io/gateway-controller";
  private static final String ACCOUNT = "traefik-of-tests";
  private static final String RIGHTS =
      """
      apiVersion: v1
      kind: ServiceAccount
      metadata: {namespace: default, name: %1$s}
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRoleBinding
      metadata: {name: %1$s}
      roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
      subjects: [{kind: ServiceAccount, namespace: default, name: %1$s}]
      """;

  private final int port = free();
  private final int metricsPort = free();
  private final Path log;
  private final Process process;
  private final List<HttpServer> servers = new ArrayList<>();
  private final List<String> addresses = new ArrayList<>();

  public RealTraefik(TestCluster cluster) {
    KubernetesClient admin = cluster.admin();
    cluster.apply(RIGHTS.formatted(ACCOUNT));
    String token =
        admin
            .serviceAccounts()
            .inNamespace("default")
            .withName(ACCOUNT)
            .tokenRequest(new TokenRequestBuilder().withNewSpec().endSpec().build())
            .getStatus()
            .getToken();
    try {
      Path ca = Files.createTempFile("traefik", ".pem");
      Files.write(ca, Base64.getMimeDecoder().decode(admin.getConfiguration().getCaCertData()));
      log = Files.createTempFile("traefik", ".log");
      process =
          new ProcessBuilder(
                  program(),
                  "--log.level=INFO",
                  "--global.checknewversion=false",
                  "--providers.kubernetesgateway=true",
                  "--providers.kubernetesgateway.endpoint="
                      + admin.getConfiguration().getMasterUrl().replaceAll("/$", ""),
                  "--providers.kubernetesgateway.token=" + token,
                  "--providers.kubernetesgateway.certauthfilepath=" + ca,
                  "--entrypoints.web.address=127.0.0.1:" + port,
                  "--entrypoints.metrics.address=127.0.0.1:" + metricsPort,
                  "--metrics.prometheus.entrypoint=metrics",
                  "--metrics.prometheus.buckets=0.1,0.5,1,5")
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Path of the program. The test is skipped without it, and without the right to add addresses.
   */
  static String program() {
    try {
      ProcessBuilder finds =
          new ProcessBuilder(String.valueOf(TestClusters.script("tools/gateway/traefik.sh")));
      Process found = finds.redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String path =
          new String(found.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      assumeTrue(ended(found) == 0, "there is no Traefik; see tools/gateway/traefik.sh");
      assumeTrue(
          "root".equals(System.getProperty("user.name")), "addresses of pods need a root user");
      return path;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int ended(Process process) {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static int free() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Installs the kinds of the Gateway API, with a class and a Gateway of this name and port. */
  public static void install(TestCluster cluster, String name, String controller, int port) {
    String crds = TestClusters.runScript("tools/gateway/program.sh", "crds").strip();
    String _ = cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", crds);
    cluster.kubectl("wait", "--for=condition=Established", "-f", crds);
    cluster.apply(ServedModel.GATEWAY.formatted(name, controller, port));
  }

  /** Port of its listener. */
  public int port() {
    return port;
  }

  /** Returns the current metrics. */
  public String metrics() throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection)
            URI.create("http://127.0.0.1:" + metricsPort + "/metrics").toURL().openConnection();
    return new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  /** Answers for a pod with the supplied status. */
  void answers(String address, int port, IntSupplier status) {
    answers(
        address,
        port,
        exchange -> {
          exchange.sendResponseHeaders(status.getAsInt(), -1);
          exchange.close();
        });
  }

  /** Adds an address to the loopback device until this is closed. */
  public void adds(String address) throws IOException {
    Process adds = new ProcessBuilder("ip", "address", "add", address + "/32", "dev", "lo").start();
    if (ended(adds) == 0) {
      addresses.add(address);
    }
  }

  /** Answers for a pod. */
  public void answers(String address, int port, HttpHandler answer) {
    try {
      adds(address);
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getByName(address), port), 0);
      server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      server.createContext("/", answer);
      server.start();
      servers.add(server);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The status of one request through the gateway, 0 without an answer. */
  int request(String host) {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(5_000);
      socket
          .getOutputStream()
          .write(
              "GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
                  .formatted(host)
                  .getBytes(StandardCharsets.UTF_8));
      String line =
          new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
              .readLine();
      return line == null ? 0 : Integer.parseInt(line.split(" ", -1)[1]);
    } catch (IOException none) {
      return 0;
    }
  }

  /** Last lines of the log, for messages. */
  public String log() {
    try {
      List<String> lines = Files.readAllLines(log);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      for (String address : addresses) {
        int _ =
            ended(new ProcessBuilder("ip", "address", "del", address + "/32", "dev", "lo").start());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    servers.forEach(server -> server.stop(0));
  }
}
