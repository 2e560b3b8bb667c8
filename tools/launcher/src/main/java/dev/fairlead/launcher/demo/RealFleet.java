package dev.fairlead.launcher.demo;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.StartFailed;
import dev.fairlead.launcher.WorkTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A Kubernetes control plane on this machine with two nodes that run real containers, by the
 * scripts of {@code tools/k8s} and {@code tools/realnode}. Always ends with this JVM.
 */
final class RealFleet implements AutoCloseable {
  static final List<String> NODES = List.of("real-0", "real-1");
  private static final String NAME = "real";
  private static final Duration SEEN_WAIT = Duration.ofMinutes(1);
  private static final Script CLUSTER = new Script("tools/k8s/cluster.sh");
  private static final Script NODE = new Script("tools/realnode/node.sh");

  private final String cluster = "demo-" + ProcessHandle.current().pid();

  private RealFleet() {}

  /**
   * Builds missing programs and images: minutes the first time, then nothing.
   *
   * @throws StartFailed when this machine cannot have real nodes. The message names the missing
   *     requirement
   */
  static void prepare() throws InterruptedException {
    String missing = NODE.run("missing");
    if (!missing.isEmpty()) {
      throw new StartFailed(
          "real nodes are not available here: "
              + missing.replace("\n", "; ")
              + " (docs/contributing/suites.md#real-nodes-real-processes)");
    }
    CLUSTER.run("build");
    NODE.run("build");
    NODE.run("image", "job");
    NODE.run("image", "torch", "--packages", "python3-torch");
  }

  static RealFleet start() throws InterruptedException {
    RealFleet fleet = new RealFleet();
    try {
      String pid = Long.toString(ProcessHandle.current().pid());
      CLUSTER.run("up", fleet.cluster, "--owner-pid", pid, "--lease", "16", "--grace", "16");
      for (String node : NODES) {
        NODE.run("up", fleet.cluster, node, "--images", "torch");
      }
      return fleet;
    } catch (StartFailed | InterruptedException e) {
      fleet.close();
      throw e;
    }
  }

  /** Follows docs/how-to/connect-a-cluster.md, and waits until the nodes are known. */
  void register(FairleadApi api) throws InterruptedException {
    kubectl("apply", "-f", WorkTree.root().resolve("deploy/cluster.yaml").toString());
    ObjectNode body = JsonNodeFactory.instance.objectNode().put("name", NAME);
    body.putObject("connection")
        .put("server", known("server"))
        .put("caData", known("certificate-authority-data"))
        .put("token", kubectl("create", "token", "fairlead", "-n", "fairlead-system"));
    api.post("/clusters", body);
    Patience.await(
        "the nodes of the cluster",
        SEEN_WAIT,
        () -> api.get("/clusters/" + NAME).path("nodes").asInt(0) == NODES.size());
  }

  /** Creates a claim on a directory of this machine that all its nodes mount. */
  void claim(String namespace, String claim, Path directory) throws InterruptedException {
    try {
      Files.createDirectories(directory);
      /* Members run under a user id that this machine does not have. */
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    } catch (IOException e) {
      throw new StartFailed(directory + " cannot be made: " + e.getMessage(), e);
    }
    CLUSTER.runWith(
        """
        apiVersion: v1
        kind: PersistentVolume
        metadata: {name: "%1$s"}
        spec:
          capacity: {storage: 1Gi}
          accessModes: [ReadWriteMany]
          storageClassName: ""
          hostPath: {path: "%3$s"}
          claimRef: {namespace: "%2$s", name: "%1$s"}
        ---
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: "%1$s", namespace: "%2$s"}
        spec:
          accessModes: [ReadWriteMany]
          storageClassName: ""
          volumeName: "%1$s"
          resources: {requests: {storage: 1Gi}}
        """
            .formatted(claim, namespace, directory),
        "kubectl",
        cluster,
        "apply",
        "-f",
        "-");
    String bound = "--for=jsonpath={.status.phase}=Bound";
    kubectl("wait", "-n", namespace, bound, "--timeout=60s", "pvc/" + claim);
  }

  /** Kills the first process of the pod's container without its kubelet. */
  void kill(String namespace, String pod, String node) throws InterruptedException {
    String container =
        kubectl(
            "get",
            "pod",
            "-n",
            namespace,
            pod,
            "-o",
            "jsonpath={.status.containerStatuses[0].containerID}");
    NODE.run("kill", cluster, node, container, "SIGKILL");
  }

  private String known(String field) throws InterruptedException {
    String path = "jsonpath={.clusters[0].cluster." + field + "}";
    return kubectl("config", "view", "--raw", "-o", path);
  }

  private String kubectl(String... arguments) throws InterruptedException {
    String[] all = new String[arguments.length + 2];
    all[0] = "kubectl";
    all[1] = cluster;
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    return CLUSTER.run(all);
  }

  @Override
  public void close() {
    try {
      NODE.run("down", cluster);
      CLUSTER.run("down", cluster);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // it ends with its owner
    }
  }
}
