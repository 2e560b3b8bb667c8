package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.work.workload.kubernetes.namespace.EpochFence;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A control plane for tests, with the rights of its administrator. Its nodes are simulated by KWOK.
 */
public final class TestCluster {
  private static final String KUBELET = "sim.fairlead.dev/kubelet";
  private static final String SCHEDULER = "kube-scheduler";
  private static final long PATIENCE_SECONDS = 60;
  private final Path administrators;
  private final @Nullable String name;
  private final KubernetesClient admin;
  private final Set<String> made = ConcurrentHashMap.newKeySet();
  private volatile boolean scheduling;

  TestCluster(Path kubeconfig, @Nullable String name) {
    this.administrators = kubeconfig;
    this.name = name;
    admin =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(kubeconfig.toFile()))
            // the log of the product is searched for secrets
            .withHttpClientBuilderConsumer(
                http -> http.addOrReplaceInterceptor("HttpLogging", null))
            .build();
  }

  /** Text of a kubeconfig with all rights. */
  public String administratorsKubeconfig() {
    try {
      return Files.readString(administrators);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Text of a kubeconfig of the identity that an operator creates for Fairlead. */
  public String kubeconfig() {
    return kubeconfig("fairlead");
  }

  /** The same of another account in the namespace of Fairlead. */
  String kubeconfig(String account) {
    Config known = admin.getConfiguration();
    String token =
        admin
            .serviceAccounts()
            .inNamespace(Namespaces.SYSTEM)
            .withName(account)
            .tokenRequest(new TokenRequestBuilder().withNewSpec().endSpec().build())
            .getStatus()
            .getToken();
    return """
    clusters: [{name: c, cluster: {server: "%s", certificate-authority-data: "%s"}}]
    users: [{name: u, user: {token: "%s"}}]
    contexts: [{name: x, context: {cluster: c, user: u}}]
    current-context: x
    """
        .formatted(known.getMasterUrl(), known.getCaCertData(), token);
  }

  /** The manifest that an operator applies once. */
  void apply(Path manifest) {
    try (InputStream objects = Files.newInputStream(manifest)) {
      admin.load(objects).resources().forEach(r -> r.forceConflicts().serverSideApply());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An additional manifest of the operator, by its path in the work tree. */
  public void applies(String manifest) {
    apply(TestClusters.file(manifest));
  }

  /** Deletes the additional objects. */
  public void withdraws(String manifest) {
    try (InputStream objects = Files.newInputStream(TestClusters.file(manifest))) {
      List<StatusDetails> _ = admin.load(objects).delete();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Like a user. */
  public String kubectl(String... arguments) {
    return TestClusters.kubectl(administrators, arguments);
  }

  /** {@code kubectl apply} of this text. */
  public void apply(String manifest) {
    try {
      Path file = Files.createTempFile("manifest", ".yaml");
      Files.writeString(file, manifest);
      String _ = kubectl("apply", "-f", file.toString());
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The output of {@code kubectl} as Fairlead, for which the request is refused. */
  public String refused(Path folder, String... arguments) {
    Path config = folder.resolve("fairlead.kubeconfig");
    try {
      Files.writeString(config, kubeconfig());
      String done = TestClusters.kubectl(config, arguments);
      throw new AssertionError("it was not refused: " + done);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (IllegalStateException refusal) {
      return String.valueOf(refusal.getMessage());
    }
  }

  /** Returns when the applied policies reject objects of an unknown installation. */
  void awaitFence() {
    ConfigMap unknown =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName("awaits-the-fence")
            .withNamespace(Namespaces.SYSTEM)
            .addToLabels(ObjectLabels.INSTALLATION, "unknown")
            .addToLabels(ObjectLabels.EPOCH, "1")
            .endMetadata()
            .build();
    RealCluster.eventually("the fence is in force", () -> refused(unknown));
  }

  private boolean refused(ConfigMap object) {
    try {
      admin.resource(object).dryRun().create();
      return false;
    } catch (KubernetesClientException refusal) {
      return String.valueOf(refusal.getMessage()).contains("'" + EpochFence.NAME + "'");
    }
  }

  /**
   * Provides nodes {@code prefix-0000}, {@code prefix-0001}, ... with H100 GPUs, spread over racks,
   * each rack a separate block. Returns when they are ready.
   */
  public List<String> nodes(String prefix, int count, int gpus, int racks) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String node = "%s-%04d".formatted(prefix, i);
      names.add(node);
      made.add(node);
      if (admin.nodes().withName(node).get() == null) {
        create(node, gpus, prefix + "-" + i * racks / count);
      }
    }
    for (String node : names) {
      admin.nodes().withName(node).waitUntilReady(PATIENCE_SECONDS, TimeUnit.SECONDS);
      // Admission sets a taint on a new node, which is removed a moment after the node is ready.
      admin
          .nodes()
          .withName(node)
          .waitUntilCondition(
              n -> n.getSpec().getTaints().isEmpty(), PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
    return names;
  }

  /** Removes every node that {@link #nodes} provided: an idle node still uses CPU time. */
  void removeNodes() {
    for (String node : made) {
      List<StatusDetails> _ = admin.nodes().withName(node).delete();
    }
    made.clear();
  }

  /** The status of the pod names the GPU of its container, as a kubelet writes it. */
  public void allocate(String namespace, String pod, String gpu) {
    Pod _ =
        admin
            .pods()
            .inNamespace(namespace)
            .withName(pod)
            .subresource("status")
            .patch(
                PatchContext.of(PatchType.JSON),
                """
                [{"op": "add", "path": "/status/containerStatuses/0/allocatedResourcesStatus", "value": [
                  {"name": "nvidia.com/gpu", "resources": [{"resourceID": "%s", "health": "Healthy"}]}]}]
                """
                    .formatted(gpu));
  }

  /** The node's kubelet falls silent. */
  public void silence(String node) {
    patch(node, "{\"metadata\":{\"labels\":{\"%s\":\"silent\"}}}".formatted(KUBELET));
  }

  /** The node's kubelet answers again. */
  public void restore(String node) {
    patch(node, "{\"metadata\":{\"labels\":{\"%s\":\"running\"}}}".formatted(KUBELET));
  }

  /**
   * Merges fields into a node regardless of concurrent writes. A read and a write would conflict
   * with heartbeats and with the taints of controllers.
   */
  public void patchStatus(String node, String merge) {
    admin
        .nodes()
        .withName(node)
        .subresource("status")
        .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), merge);
  }

  public void patch(String node, String merge) {
    admin.nodes().withName(node).patch(PatchContext.of(PatchType.JSON_MERGE), merge);
  }

  /** Cordons or uncordons the node, as {@code kubectl} does. */
  public void cordon(String node, boolean cordoned) {
    patch(node, "{\"spec\":{\"unschedulable\":" + (cordoned ? "true" : "null") + "}}");
  }

  /** Returns whether the node is marked unschedulable. */
  public boolean cordoned(String node) {
    return Boolean.TRUE.equals(admin.nodes().withName(node).get().getSpec().getUnschedulable());
  }

  /**
   * One round of {@code kubectl drain}: requests the eviction of every pod of the namespace on the
   * node. True when none is left.
   */
  public boolean drained(String namespace, String node) {
    List<Pod> left =
        admin.pods().inNamespace(namespace).withField("spec.nodeName", node).list().getItems();
    left.stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .forEach(pod -> evict(namespace, pod.getMetadata().getName()));
    return left.isEmpty();
  }

  /**
   * Requests the eviction of a pod like a drain. Returns false if a disruption budget forbids it.
   */
  public boolean evict(String namespace, String pod) {
    return admin.pods().inNamespace(namespace).withName(pod).evict();
  }

  public SortedMap<String, String> podNodes(String namespace) {
    SortedMap<String, String> nodes = new TreeMap<>();
    for (Pod pod : admin.pods().inNamespace(namespace).list().getItems()) {
      nodes.put(pod.getMetadata().getName(), String.valueOf(pod.getSpec().getNodeName()));
    }
    return nodes;
  }

  /** The content of the fence: epochs and watermarks by installation. */
  public SortedMap<String, String> fence() {
    ConfigMap fence =
        admin.configMaps().inNamespace(Namespaces.SYSTEM).withName("fairlead-fence").get();
    return fence.getData() == null ? new TreeMap<>() : new TreeMap<>(fence.getData());
  }

  /** Names of the pods without a deletion, in one namespace. */
  public SortedSet<String> wanted(String namespace) {
    SortedSet<String> names = new TreeSet<>();
    for (Pod pod : admin.pods().inNamespace(namespace).list().getItems()) {
      if (pod.getMetadata().getDeletionTimestamp() == null) {
        names.add(pod.getMetadata().getName());
      }
    }
    return names;
  }

  /** Members that a drain leaves alone, of the budgets in one namespace. */
  public List<Integer> budgets(String namespace) {
    return admin
        .policy()
        .v1()
        .podDisruptionBudget()
        .inNamespace(namespace)
        .list()
        .getItems()
        .stream()
        .map(budget -> budget.getSpec().getMinAvailable().getIntVal())
        .toList();
  }

  /** Pods, services, budgets and anchors of attempts that are left, as {@code kind/name}. */
  public List<String> left(String namespace) {
    List<HasMetadata> objects = new ArrayList<>();
    objects.addAll(admin.pods().inNamespace(namespace).list().getItems());
    objects.addAll(admin.services().inNamespace(namespace).list().getItems());
    objects.addAll(
        admin.policy().v1().podDisruptionBudget().inNamespace(namespace).list().getItems());
    objects.addAll(
        admin
            .configMaps()
            .inNamespace(namespace)
            .withLabel("fairlead.dev/attempt")
            .list()
            .getItems());
    return objects.stream().map(o -> o.getKind() + "/" + o.getMetadata().getName()).toList();
  }

  /**
   * Sends a signal to a component such as {@code kube-apiserver}; only on a cluster that this JVM
   * started.
   */
  public void signal(String component, String signal) {
    TestClusters.run("signal", owned(), component, signal);
  }

  /** Restarts a component, only on a cluster that this JVM has started. */
  public void start(String component) {
    TestClusters.run("start", owned(), component);
    scheduling |= component.equals(SCHEDULER);
  }

  /** Stops a scheduler that {@link #start} has started: an idle one still uses CPU time. */
  void stopScheduler() {
    if (scheduling) {
      TestClusters.run("stop", owned(), SCHEDULER);
      scheduling = false;
    }
  }

  /** Returns whether {@link #signal} and {@link #start} work. */
  public boolean owns() {
    return name != null;
  }

  /** Creates a claim in that namespace, and a volume reserved for the claim. */
  public void claim(String namespace, String name) {
    String objects =
        """
        apiVersion: v1
        kind: PersistentVolume
        metadata: {name: %1$s-%2$s}
        spec:
          capacity: {storage: 1Gi}
          accessModes: [ReadWriteMany]
          storageClassName: ""
          claimRef: {namespace: %1$s, name: %2$s}
          hostPath: {path: /data}
        ---
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {namespace: %1$s, name: %2$s}
        spec:
          accessModes: [ReadWriteMany]
          storageClassName: ""
          volumeName: %1$s-%2$s
          resources: {requests: {storage: 1Gi}}
        """
            .formatted(namespace, name);
    admin
        .load(new ByteArrayInputStream(objects.getBytes(StandardCharsets.UTF_8)))
        .serverSideApply();
  }

  public KubernetesClient admin() {
    return admin;
  }

  /** Name of the cluster for {@code cluster.sh}. */
  String owned() {
    if (name == null) {
      throw new IllegalStateException("this cluster was given, so its components are left alone");
    }
    return name;
  }

  private void create(String node, int gpus, String rack) {
    Map<String, Quantity> resources = new TreeMap<>();
    resources.put("cpu", new Quantity("128"));
    resources.put("memory", new Quantity("2Ti"));
    resources.put("pods", new Quantity("110"));
    if (gpus > 0) {
      resources.put("nvidia.com/gpu", new Quantity(Integer.toString(gpus)));
    }
    NodeBuilder builder =
        new NodeBuilder()
            .withNewMetadata()
            .withName(node)
            .addToLabels(KUBELET, "running")
            .addToLabels("kubernetes.io/hostname", node)
            .addToLabels("topology.kubernetes.io/zone", "sim-0")
            .addToLabels("topology.fairlead.dev/block", rack + "-b")
            .addToLabels("topology.fairlead.dev/rack", rack + "-r")
            .endMetadata()
            .withNewStatus()
            .withCapacity(resources)
            .withAllocatable(resources)
            .endStatus();
    if (gpus > 0) {
      builder
          .editMetadata()
          .addToLabels("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3")
          .addToLabels("nvidia.com/gpu.memory", "81559")
          .endMetadata();
    }
    admin.resource(builder.build()).create();
  }
}
