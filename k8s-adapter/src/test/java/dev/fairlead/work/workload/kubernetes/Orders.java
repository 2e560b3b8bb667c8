package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.people.secret.ProjectSecret;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptStatus;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.spec.ArrayRange;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.ExtraContainers;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.spec.JobSpec.PreemptionSpec;
import dev.fairlead.work.spec.JobSpec.VolumeSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.spec.ProgressSpec;
import dev.fairlead.work.spec.RetryPolicy;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.kubernetes.client.GpuResources;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Launch orders whose ids never change, for manifests that are compared with files. */
public final class Orders {
  public static final Installation INSTALLATION = new Installation(new UUID(0x7000, 0x8000), 1);
  static final ProjectId PROJECT = new ProjectId(new UUID(0x7000, 0x8001));
  private static final Capabilities CLUSTER =
      new Capabilities(
          "v1.36.4",
          Capabilities.Fence.ENFORCED,
          GpuIdentity.UNKNOWN,
          false,
          true,
          true,
          false,
          List.of(),
          "cluster.local",
          true,
          List.of(),
          new TreeMap<>(),
          null,
          List.of(),
          List.of(),
          Capabilities.Presence.UNKNOWN,
          List.of());
  static final long EPOCH = (1L << 32) + 5;

  /** A node of which every GPU is handed out in four parts. */
  public static final NodeReport PARTS =
      node("gpu-0", 8, GpuOffer.LABEL, "parts-4", GpuResources.SHARED, 32);

  /** A node that offers MIG slices of one profile under the name of GPUs. */
  public static final NodeReport SLICES =
      node("gpu-0", 1, GpuOffer.LABEL, "slices-1g.10gb", "nvidia.com/mig-" + "1g", 0);

  /** A node whose kubelet obeys annotations. */
  public static final NodeReport SIMULATED =
      node("gpu-0", 8, "sim.fairlead.dev/kubelet", "running", "nvidia.com/mig-" + "1g", 0);

  private Orders() {}

  public static LaunchOrder single() {
    return plain("hello", role(1, GpuRequest.whole(1)), List.of());
  }

  /** One that saves its work before it is stopped. */
  public static LaunchOrder saving() {
    return plain("saves", role(1, GpuRequest.whole(1)), List.of());
  }

  /** Reports progress. */
  public static LaunchOrder progressing() {
    return plain("progresses", role(1, GpuRequest.whole(1)), List.of());
  }

  public static LaunchOrder reporting() {
    return plain("reports-outputs", role(1, GpuRequest.whole(1)), List.of());
  }

  /** Four members of eight GPUs. */
  public static LaunchOrder gang() {
    RoleSpec role = role(4, GpuRequest.whole(8, "H100"));
    VolumeSpec claim = VolumeSpec.ofClaim("datasets", "/data", true);
    return order(
        spec(
            "llama-sft",
            role,
            "torchrun",
            Duration.ofHours(48),
            OnUnreachable.WAIT,
            List.of(claim)));
  }

  /** Element 7 of an array, without a GPU. */
  public static LaunchOrder element() {
    JobSpec spec =
        spec(
            "sweep",
            role(1, GpuRequest.NONE),
            Launcher.NONE,
            Duration.ofMinutes(30),
            OnUnreachable.AFTER_DEADLINE,
            List.of());
    LaunchOrder order = order(spec);
    Attempt a = order.attempt();
    Attempt seventh =
        a.with().element(7).number(2).status(AttemptStatus.of(a.state())).left(List.of()).build();
    return order.withAttempt(seventh);
  }

  public static LaunchOrder fraction() {
    return plain("quarter", role(1, GpuRequest.fraction(250)), List.of());
  }

  /** Two slices of a GPU that an administrator cut. */
  public static LaunchOrder mig() {
    GpuRequest slices = new GpuRequest(GpuRequest.Kind.MIG, 2, 0, 0, "1g.10gb", List.of(), 0);
    return plain("slices", role(1, slices), List.of());
  }

  /** Two members that talk over a fabric. */
  public static LaunchOrder rdma() {
    RoleSpec role = role(2, GpuRequest.whole(8));
    RoleSpec fabric = role.with().rdma(true).topology(null).build();
    return plain("fabric", fabric, List.of());
  }

  /** One member that reads one claim and writes another. */
  public static LaunchOrder volumes() {
    return plain(
        "reads",
        role(1, GpuRequest.NONE),
        List.of(
            VolumeSpec.ofClaim("datasets", "/data", true),
            VolumeSpec.ofClaim("checkpoints", "/checkpoints", false)));
  }

  /** One member of a project that logs in at a registry. */
  public static LaunchOrder login() {
    return LaunchOrders.keeping(
        single(),
        ProjectSecret.REGISTRY_LOGIN,
        ProjectSecret.LOGIN_KEY,
        "{\"auths\":{\"registry.example.com\":{\"auth\":\"ZmFpcmxlYWQ6cw==\"}}}");
  }

  /** One member with a secret in a variable and one in files. */
  public static LaunchOrder secrets() {
    RoleSpec plain = role(1, GpuRequest.NONE);
    SortedMap<String, RoleSpec.SecretKey> env = new TreeMap<>();
    env.put("HF_TOKEN", new RoleSpec.SecretKey("hub", "token"));
    RoleSpec role =
        plain.with().count(1).minCount(1).secretEnv(env).rdma(false).topology(null).build();
    LaunchOrder order = plain("keeps", role, List.of(VolumeSpec.ofSecret("tls", "/etc/tls")));
    return LaunchOrders.keeping(
        LaunchOrders.keeping(order, "hub", "token", "s3cr3t"), "tls", "tls.crt", "PEM");
  }

  /** One member of this role. */
  public static LaunchOrder of(RoleSpec role) {
    return plain("one", role, List.of());
  }

  private static LaunchOrder plain(String name, RoleSpec role, List<VolumeSpec> volumes) {
    return order(spec(name, role, Launcher.NONE, null, OnUnreachable.WAIT, volumes));
  }

  public static LaunchOrder order(JobSpec spec) {
    List<NodeReport> nodes = IntStream.range(0, 4).mapToObj(i -> node("gpu-" + i, 8)).toList();
    return new LaunchOrders(new SeededIds(7), INSTALLATION, "nlp")
        .order(EPOCH, spec, nodes, CLUSTER);
  }

  public static RoleSpec role(int count, GpuRequest gpu) {
    SortedMap<String, String> env = new TreeMap<>();
    env.put("GREETING", "costs $(5)");
    return new RoleSpec(
        "worker",
        count,
        count,
        "registry.example/train:1",
        CommandSpec.shell("python train.py && echo $(date)"),
        env,
        new TreeMap<>(),
        gpu,
        4000,
        16_384,
        1024,
        false,
        null,
        ExtraContainers.NONE);
  }

  public static NodeReport node(String name, int gpus) {
    return node(name, gpus, "kubernetes.io/hostname", name, "nvidia.com/mig-" + "1g", 0);
  }

  private static NodeReport node(
      String name, int gpus, String label, String value, String resource, long offered) {
    SortedMap<String, Long> extended = new TreeMap<>();
    extended.put(resource, offered);
    SortedMap<String, String> labels = new TreeMap<>();
    labels.put(label, value);
    List<Gpu> devices =
        IntStream.range(0, gpus)
            .mapToObj(i -> new Gpu(i, name + "/" + i, GpuState.HEALTHY, 0))
            .toList();
    return new NodeReport(
        name,
        true,
        false,
        false,
        false,
        "H100",
        81_559,
        new ResourceVector(128_000, 2_097_152, gpus * 1000L, 110, extended),
        ResourceVector.ZERO,
        labels,
        List.of(),
        new TreeMap<>(),
        "boot",
        devices,
        List.of(),
        NodeLabelsAndTaints.NONE);
  }

  private static JobSpec spec(
      String name,
      RoleSpec role,
      String launcher,
      @Nullable Duration maxRuntime,
      OnUnreachable onUnreachable,
      List<VolumeSpec> volumes) {
    SortedMap<String, String> annotations = new TreeMap<>();
    annotations.put("sim.fairlead.dev/run-for", "20s");
    annotations.put("sim.fairlead.dev/outcome", "fail");
    annotations.put("sim.fairlead.dev/members", "worker-0");
    ArrayRange array = name.equals("sweep") ? ArrayRange.parse("0-19%4").orElseThrow() : null;
    return new JobSpec(
        name,
        "research",
        PriorityClass.NORMAL,
        List.of(role),
        PlacementSpec.ANYWHERE,
        launcher,
        maxRuntime,
        null,
        null,
        List.of(),
        new PreemptionSpec(
            true,
            Duration.ofSeconds(30),
            Duration.ZERO,
            name.equals("saves") ? Duration.ofMinutes(2) : null),
        RetryPolicy.DEFAULT,
        onUnreachable,
        array,
        volumes,
        new TreeMap<>(),
        new TreeMap<>(),
        annotations,
        null,
        name.equals("progresses")
            ? new ProgressSpec(Duration.ofMinutes(10), ProgressSpec.OnTimeout.RETRY)
            : null,
        null,
        JobSpec.OnDependencyFailure.FAIL,
        null,
        name.equals("reports-outputs") ? List.of("model") : List.of(),
        null);
  }
}
