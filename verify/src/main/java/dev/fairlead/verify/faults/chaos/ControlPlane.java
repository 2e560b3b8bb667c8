package dev.fairlead.verify.faults.chaos;

import dev.fairlead.launcher.StartFailed;
import dev.fairlead.launcher.WorkTree;
import dev.fairlead.verify.NetworkGate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Kubernetes control plane with simulated nodes and an audit log, reached by the service through
 * a {@link NetworkGate}.
 */
public final class ControlPlane implements AutoCloseable {
  private static final Pattern SERVER = Pattern.compile("https://127\\.0\\.0\\.1:([0-9]+)");
  private static final String API_SERVER = "kube-apiserver";
  private static final long PATIENCE_SECONDS = 180;
  private final String name;
  private final Path kubeconfig;
  private final NetworkGate gate;

  private ControlPlane(String name, Path kubeconfig, NetworkGate gate) {
    this.name = name;
    this.kubeconfig = kubeconfig;
    this.gate = gate;
  }

  /**
   * @param nodes with 8 GPUs each
   * @throws StartFailed when programs are missing or it does not start
   */
  public static ControlPlane start(String name, int nodes) {
    String pid = Long.toString(ProcessHandle.current().pid());
    String unique = name + "-" + pid;
    String path =
        run(
                "up",
                unique,
                "--audit",
                "--owner-pid",
                pid,
                "--nodes",
                Integer.toString(nodes),
                "--gpus",
                "8")
            .strip();
    Path kubeconfig = Path.of(path);
    Matcher server = SERVER.matcher(read(kubeconfig));
    if (!server.find()) {
      throw new StartFailed(kubeconfig + " names no server");
    }
    return new ControlPlane(unique, kubeconfig, NetworkGate.to(Integer.parseInt(server.group(1))));
  }

  public String name() {
    return name;
  }

  NetworkGate gate() {
    return gate;
  }

  /** The kubeconfig for the service, through the gate. */
  public String kubeconfig() {
    return SERVER.matcher(read(kubeconfig)).replaceAll("https://127.0.0.1:" + gate.port());
  }

  /** The audit log: one JSON object a line for each answered change. */
  public Path auditLog() {
    return kubeconfig.resolveSibling("log").resolve("audit.log");
  }

  /** Output of {@code kubectl} for an administrator. */
  public String kubectl(String... arguments) {
    List<String> all = new ArrayList<>(List.of("kubectl", name));
    all.addAll(List.of(arguments));
    return run(all.toArray(String[]::new));
  }

  void killApiServer() {
    run("signal", name, API_SERVER, "KILL");
  }

  void startApiServer() {
    run("start", name, API_SERVER);
  }

  void pauseApiServer() {
    run("signal", name, API_SERVER, "STOP");
  }

  void resumeApiServer() {
    run("signal", name, API_SERVER, "CONT");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String run(String... arguments) {
    List<String> command =
        new ArrayList<>(List.of(WorkTree.root().resolve("tools/k8s/cluster.sh").toString()));
    command.addAll(List.of(arguments));
    try {
      Path errors = Files.createTempFile("cluster", ".err");
      Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
      String said = read(errors);
      Files.delete(errors);
      if (!ended || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new StartFailed(String.join(" ", command) + " failed: " + said);
      }
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    gate.close();
    run("down", name);
  }
}
