package dev.fairlead.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A real Kubernetes control plane on this machine with simulated nodes, started by {@code
 * tools/k8s/cluster.sh}. It ends with this JVM.
 */
public final class LocalCluster implements AutoCloseable {
  private static final Pattern SERVER = Pattern.compile("server: \"([^\"]+)\"");
  private static final Pattern AUTHORITY =
      Pattern.compile("certificate-authority-data: ([^}\\s]+)");
  private static final Pattern RUNNING = Pattern.compile("^(\\S+) pid ([0-9]+)", Pattern.MULTILINE);
  private final String name;
  private final Path kubeconfig;

  private LocalCluster(String name, Path kubeconfig) {
    this.name = name;
    this.kubeconfig = kubeconfig;
  }

  /**
   * Starts a cluster and applies the manifests of an operator.
   *
   * @param name DNS label. The cluster's own name has the number of this process as suffix
   * @param options options of {@code cluster.sh up}
   * @throws StartFailed with the output of the script
   */
  public static LocalCluster start(String name, String... options) {
    String pid = Long.toString(ProcessHandle.current().pid());
    String unique = name + "-" + pid;
    List<String> up = new ArrayList<>(List.of("up", unique, "--owner-pid", pid));
    up.addAll(List.of(options));
    LocalCluster cluster =
        new LocalCluster(unique, Path.of(script(up.toArray(String[]::new)).strip()));
    Runtime.getRuntime().addShutdownHook(new Thread(cluster::close));
    cluster.kubectl("apply", "-f", WorkTree.root().resolve("deploy/cluster.yaml").toString());
    return cluster;
  }

  /** Adds nodes, by the options of {@code cluster.sh nodes}. */
  public void nodes(String... options) {
    List<String> nodes = new ArrayList<>(List.of("nodes", name));
    nodes.addAll(List.of(options));
    script(nodes.toArray(String[]::new));
  }

  /** Sets a new boot id on the node. */
  public void restart(String node) {
    script("node", name, node, "reboot");
  }

  /** The administrator's kubeconfig. */
  public Path kubeconfig() {
    return kubeconfig;
  }

  /** The audit log of every change of the cluster, if it was started with {@code --audit}. */
  public Path auditLog() {
    return kubeconfig.resolveSibling("log").resolve("audit.log");
  }

  /** Bytes that its etcd has written to its log since it started. */
  public long stored() {
    return Long.parseLong(script("stored", name).strip());
  }

  /** Ids of its processes by the names of their programs. */
  public SortedMap<String, Long> processes() {
    SortedMap<String, Long> ids = new TreeMap<>();
    RUNNING
        .matcher(script("status", name))
        .results()
        .forEach(line -> ids.put(line.group(1), Long.parseLong(line.group(2))));
    return ids;
  }

  /** The program that checks for over-commitment. */
  public static Path podload() {
    return Path.of(script("bin").strip()).resolve("podload");
  }

  /** Output of kubectl with the rights of the administrator. */
  public String kubectl(String... arguments) {
    List<String> command = new ArrayList<>(List.of("kubectl", name));
    command.addAll(List.of(arguments));
    return script(command.toArray(String[]::new));
  }

  /**
   * Body of a request that registers it, with the identity of {@code deploy/cluster.yaml}.
   *
   * @param as name of the cluster in Fairlead
   */
  public ObjectNode registration(String as) {
    String token =
        kubectl("-n", "fairlead-system", "create", "token", "fairlead", "--duration=8h").strip();
    String admin = text(kubeconfig);
    String connection =
        """
        apiVersion: v1
        kind: Config
        current-context: it
        contexts: [{name: it, context: {cluster: it, user: fairlead}}]
        clusters: [{name: it, cluster: {server: "%s", certificate-authority-data: %s}}]
        users: [{name: fairlead, user: {token: %s}}]
        """
            .formatted(found(SERVER, admin), found(AUTHORITY, admin), token);
    return JsonNodeFactory.instance.objectNode().put("name", as).put("kubeconfig", connection);
  }

  private static String found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.find()) {
      throw new StartFailed("the cluster's kubeconfig has no " + pattern);
    }
    return matcher.group(1);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String script(String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(WorkTree.root().resolve("tools/k8s/cluster.sh").toString());
    command.addAll(List.of(arguments));
    try {
      Path errors = Files.createTempFile("cluster", ".err");
      Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int code = process.waitFor();
      String said = Files.readString(errors);
      Files.delete(errors);
      if (code != 0) {
        throw new StartFailed("tools/k8s/cluster.sh " + arguments[0] + " failed: " + said);
      }
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartFailed("interrupted while a cluster was started", e);
    }
  }

  @Override
  public void close() {
    script("down", name);
  }
}
