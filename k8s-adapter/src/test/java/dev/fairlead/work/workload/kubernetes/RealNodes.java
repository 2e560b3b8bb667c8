package dev.fairlead.work.workload.kubernetes;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A control plane whose nodes run pods for real, by {@code tools/realnode/node.sh}:
 * {@code @ExtendWith(RealNodes.class)}, then {@link #shared}. Ends with the JVM. On machines that
 * cannot run real nodes, tests are skipped with the reason, and fail with {@code CI=true}.
 */
public final class RealNodes implements ExecutionCondition {
  private static final String NODE_SH = "tools/realnode/node.sh";
  private static final long PATIENCE_SECONDS = 120;

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    String missing = missing();
    if (missing == null) {
      return ConditionEvaluationResult.enabled("real nodes can be had");
    }
    if ("true".equals(System.getenv("CI"))) {
      throw new IllegalStateException("no real nodes for this test: " + missing);
    }
    return ConditionEvaluationResult.disabled("no real nodes: " + missing);
  }

  private static @Nullable String missing() {
    String cluster = new TestClusters().missing();
    if (cluster != null || TestClusters.script(NODE_SH) == null) {
      return cluster == null ? NODE_SH + " is not found" : cluster;
    }
    String lacking = TestClusters.runScript(NODE_SH, "missing").strip();
    return lacking.isEmpty() ? null : lacking.replace("\n", "; ");
  }

  /** The instance of this JVM. The first call starts its control plane. */
  public static Cluster shared() {
    return Shared.CLUSTER;
  }

  private static final class Shared {
    static final Cluster CLUSTER = start();
  }

  /**
   * Another cluster, which has a scheduler: it binds volume claims, and allocates device claims.
   */
  public static Cluster withScheduler() {
    return start("--scheduler");
  }

  /** The same with DeviceTaintRules. */
  public static Cluster withDeviceTaints() {
    return start("--scheduler", "--taint-rules");
  }

  private static Cluster start(String... more) {
    // A silent node is detected within seconds, and nothing is evicted without the test's order.
    List<String> options =
        new ArrayList<>(List.of("--lease", "16", "--grace", "16", "--evict-after", "300"));
    options.addAll(List.of(more));
    TestCluster plane = TestClusters.start(options.toArray(String[]::new));
    plane.apply(TestClusters.file("deploy/cluster.yaml"));
    return new Cluster(plane);
  }

  /**
   * @param id containerd's
   */
  public record Container(String node, String id) {}

  /** A control plane and its real nodes, with the rights of the administrator. */
  public static final class Cluster {
    private final TestCluster plane;

    private Cluster(TestCluster plane) {
      this.plane = plane;
    }

    public TestCluster plane() {
      return plane;
    }

    /** Starts a node, or restarts a crashed one under its name, and waits until it accepts pods. */
    public void up(String node, int gpus) {
      node("up", node, "--gpus", Integer.toString(gpus));
    }

    /**
     * Starts a node with a DRA driver for its GPUs instead of a device plugin.
     *
     * @param images images of the node apart from {@code job}
     */
    public void upWithDriver(String node, int gpus, String... images) {
      node(
          "up",
          node,
          "--gpus",
          Integer.toString(gpus),
          "--dra",
          "--images",
          String.join(",", images));
    }

    /** The DRA driver of the node restarts and publishes only its first GPUs. */
    public void publish(String node, int gpus) {
      node("publish", node, Integer.toString(gpus));
    }

    /** An address of this machine that pods reach. It is removed with the last node. */
    public String address() {
      return TestClusters.runScript(NODE_SH, "address", plane.owned()).strip();
    }

    /** Power loss: processes and disk are lost, the Node object remains. */
    public void crash(String node) {
      node("crash", node);
    }

    /** The provider removes the machine with its processes, disk and Node object. */
    public void down(String node) {
      node("down", node);
    }

    /** Signals one of containerd, kubelet, dns, gpuplugin, dra: KILL, STOP, CONT. */
    public void signal(String node, String component, String signal) {
      node("signal", node, component, signal);
    }

    /** Starts a killed component again. */
    public void start(String node, String component) {
      node("start", node, component);
    }

    /** Devices of these indices are unhealthy, all others healthy. */
    public void unhealthy(String node, int... gpus) {
      List<String> indices = Arrays.stream(gpus).mapToObj(Integer::toString).toList();
      node("gpus", node, indices.toArray(String[]::new));
    }

    /**
     * Pods with their devices as the node agent reads them in the kubelet's own file, as its report
     * has them.
     */
    public String allocations(String node) {
      String file =
          node("run", node, "cat", "/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint");
      return TestClusters.runScript("tools/realnode/agent-allocations", file);
    }

    /** Signals the first process of a pod's container past its kubelet. */
    public void kill(String namespace, String pod, String signal) {
      Pod there = plane.admin().pods().inNamespace(namespace).withName(pod).get();
      node("kill", there.getSpec().getNodeName(), container(there).getContainerID(), signal);
    }

    /** The container of a pod, which may outlive the pod in the API. */
    public Container containerOf(String namespace, String pod) {
      Pod there = plane.admin().pods().inNamespace(namespace).withName(pod).get();
      String id = container(there).getContainerID().substring("containerd://".length());
      return new Container(there.getSpec().getNodeName(), id);
    }

    /**
     * Returns whether a process of the container lives, according to containerd and not the
     * kubelet.
     */
    public boolean lives(Container container) {
      return node("run", container.node(), "ctr", "-n", "k8s.io", "tasks", "list")
          .lines()
          .anyMatch(line -> line.startsWith(container.id()) && line.contains("RUNNING"));
    }

    /** Phase of the pod as the API shows it. */
    public String phase(String namespace, String pod) {
      return plane.admin().pods().inNamespace(namespace).withName(pod).get().getStatus().getPhase();
    }

    /** The API shows this number of GPUs on the node until its kubelet reports again. */
    public void claimGpus(String node, int gpus) {
      String more =
          "{\"status\":{\"allocatable\":{\"nvidia.com/gpu\":\"%d\"},\"capacity\":{\"nvidia.com/gpu\":\"%d\"}}}"
              .formatted(gpus, gpus);
      plane
          .admin()
          .nodes()
          .withName(node)
          .subresource("status")
          .patch(PatchContext.of(PatchType.JSON_MERGE), more);
    }

    /** Starts a foreign pod with GPUs of the node, and waits until it runs. */
    public void foreignPod(String name, String node, int gpus) {
      Pod pod =
          new PodBuilder()
              .withNewMetadata()
              .withName(name)
              .withNamespace("default")
              .endMetadata()
              .withNewSpec()
              .withNodeName(node)
              .withRestartPolicy("Never")
              .withTerminationGracePeriodSeconds(1L)
              .withAutomountServiceAccountToken(false)
              .addNewContainer()
              .withName("main")
              .withImage("localhost/job:1")
              .withImagePullPolicy("Never")
              .withCommand("sleep", "3600")
              .withNewResources()
              .addToLimits("nvidia.com/gpu", new Quantity(Integer.toString(gpus)))
              .endResources()
              .endContainer()
              .endSpec()
              .build();
      plane.admin().resource(pod).create();
      plane
          .admin()
          .pods()
          .inNamespace("default")
          .withName(name)
          .waitUntilReady(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Deletes it and waits until it no longer exists. */
    public void removeForeignPod(String name) {
      var pod = plane.admin().pods().inNamespace("default").withName(name);
      pod.delete();
      pod.waitUntilCondition(java.util.Objects::isNull, PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private static ContainerStatus container(Pod pod) {
      return pod.getStatus().getContainerStatuses().getFirst();
    }

    private String node(String command, String node, String... arguments) {
      List<String> all = new ArrayList<>(List.of(command, plane.owned(), node));
      all.addAll(List.of(arguments));
      return TestClusters.runScript(NODE_SH, all.toArray(String[]::new));
    }
  }
}
