package dev.fairlead.work.workload.kubernetes.pod;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.people.secret.ProjectSecret;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.launcher.Launchers;
import dev.fairlead.work.launcher.MemberValues;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.MemberEnvironment;
import dev.fairlead.work.workload.kubernetes.client.GpuResources;
import dev.fairlead.work.workload.kubernetes.dra.GpuClaims;
import dev.fairlead.work.workload.kubernetes.namespace.ClusterOfferings;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.KeyToPathBuilder;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import io.fabric8.kubernetes.api.model.VolumeProjectionBuilder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Builds pod specs that meet Pod Security <i>restricted</i>
 * (https://kubernetes.io/docs/concepts/security/pod-security-standards). User input only reaches
 * the fields that are set here.
 */
public final class PodSpecs {
  /** The job's container. All other containers of the pod were injected by the cluster. */
  public static final String CONTAINER = "main";

  private static final String HOME = "/home/fairlead";

  /** Volume with files through which Fairlead sends information to a running member. */
  private static final String FILES = "fairlead";

  private static final long USER = 65_532;

  private static final int PROBE_SECONDS = 1;

  /** Readable by the group of the pod, which is the group of its user. */
  private static final int SECRET_FILES = 0440;

  private PodSpecs() {}

  /**
   * @param secretKeys keys of the attempt's Secret
   */
  static PodSpec of(
      LaunchOrder order,
      Member member,
      ClusterSettings settings,
      @Nullable NodeReport node,
      SortedSet<String> secretKeys) {
    JobSpec spec = order.job().spec();
    RoleSpec role = role(spec, member);
    PodSpecBuilder pod =
        new PodSpecBuilder()
            .withRestartPolicy("Never")
            .withServiceAccountName(Namespaces.SERVICE_ACCOUNT)
            .withAutomountServiceAccountToken(false)
            .withEnableServiceLinks(false)
            .withTerminationGracePeriodSeconds(
                Math.max(1, spec.preemption().gracePeriod().toSeconds()))
            .withSecurityContext(podSecurity())
            .withContainers(
                container(
                    order,
                    member,
                    devices(role, member, settings, node),
                    callback(order, settings, secretKeys)))
            .withVolumes(volumes(order, role, secretKeys));
    if (settings.backend().choosesNodes()) {
      BackendPods.schedule(pod, order, settings, node);
    } else {
      pin(pod, member, settings);
    }
    if (order.capabilities().priorityClasses()) {
      pod.withPriorityClassName(ClusterOfferings.priorityClass(spec.priorityClass()));
    }
    if (secretKeys.contains(ProjectSecret.LOGIN_KEY)) {
      pod.addNewImagePullSecret(ObjectNames.attempt(order.attempt().id()));
    }
    if (order.job().spec().gang()) {
      pod.withHostname(MemberEnvironment.hostname(member))
          .withSubdomain(ObjectNames.attempt(order.attempt().id()));
    }
    if (role.gpu().kind() != GpuRequest.Kind.NONE) {
      pod.addNewToleration().withKey(GpuResources.TAINT).withOperator("Exists").endToleration();
    }
    if (spec.onUnreachable() == OnUnreachable.AFTER_DEADLINE && spec.maxRuntime() != null) {
      /* It also holds without contact to the cluster, and is the evidence for a relaunch. */
      pod.withActiveDeadlineSeconds(Math.max(1, spec.maxRuntime().toSeconds()));
    }
    return pod.build();
  }

  private static void pin(PodSpecBuilder pod, Member member, ClusterSettings settings) {
    switch (settings.pinning()) {
      case DIRECT -> pod.withNodeName(member.nodeName());
      case SCHEDULER -> // already assigned, so they tolerate the taint against foreign pods
          pod.withAffinity(only(member.nodeName()))
              .addNewToleration()
              .withKey(NodeLabelsAndTaints.QUARANTINE)
              .withOperator("Exists")
              .endToleration();
    }
  }

  /** Matches the name of a node, because any node can have any label. */
  private static Affinity only(String node) {
    return new AffinityBuilder()
        .withNewNodeAffinity()
        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
        .addNewNodeSelectorTerm()
        .addNewMatchField()
        .withKey("metadata.name")
        .withOperator("In")
        .withValues(node)
        .endMatchField()
        .endNodeSelectorTerm()
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endNodeAffinity()
        .build();
  }

  private static Container container(
      LaunchOrder order,
      Member member,
      SortedMap<String, Quantity> devices,
      List<EnvVar> callback) {
    RoleSpec role = role(order.job().spec(), member);
    List<EnvVar> env = environment(order, member, role);
    env.addAll(callback);
    ContainerBuilder container =
        new ContainerBuilder()
            .withName(CONTAINER)
            .withImage(role.image())
            .withEnv(env)
            .withVolumeMounts(mounts(order))
            .withSecurityContext(security())
            .withNewResources()
            .withRequests(requests(role, devices))
            .withLimits(limits(role, devices))
            .endResources()
            .withTerminationMessagePolicy("FallbackToLogsOnError"); // the output shows the failure
    if (takesRequests(order.job().spec(), member)) {
      serve(container, order.job().spec().annotations());
    }
    CommandSpec command =
        MemberEnvironment.command(
            order.job(),
            order.attempt(),
            member,
            order.project().namespace(),
            order.capabilities().clusterDomain());
    if (!command.command().isEmpty()) {
      container.withCommand(words(order, command.command()));
    }
    if (!command.args().isEmpty()) {
      container.withArgs(words(order, command.args()));
    }
    return container.build();
  }

  /**
   * Returns whether requests of a model service reach the member, which is true for the first
   * member of a replica.
   */
  static boolean takesRequests(JobSpec spec, Member member) {
    return spec.annotations().containsKey(ServiceVersion.OF_SERVICE)
        && member.index() == 0
        && member.role().equals(spec.roles().getFirst().name());
  }

  private static void serve(ContainerBuilder container, SortedMap<String, String> annotations) {
    container
        .addNewPort()
        .withName(ObjectNames.SERVING_PORT)
        .withProtocol("TCP")
        .withContainerPort(Integer.parseInt(annotations.getOrDefault(ServiceVersion.PORT, "0")))
        .endPort();
    ProbeBuilder ready =
        new ProbeBuilder().withPeriodSeconds(PROBE_SECONDS).withTimeoutSeconds(2 * PROBE_SECONDS);
    IntOrString port = new IntOrString(ObjectNames.SERVING_PORT);
    String path = annotations.get(ServiceVersion.READY_PATH);
    container.withReadinessProbe(
        path == null
            ? ready.withNewTcpSocket().withPort(port).endTcpSocket().build()
            : ready.withNewHttpGet().withPath(path).withPort(port).endHttpGet().build());
  }

  private static List<EnvVar> environment(LaunchOrder order, Member member, RoleSpec role) {
    SortedMap<String, String> plain =
        new TreeMap<>(
            MemberEnvironment.of(
                order.job(),
                order.attempt(),
                member,
                order.project().namespace(),
                order.capabilities().clusterDomain()));
    plain.putIfAbsent("HOME", HOME);
    List<EnvVar> env = new ArrayList<>();
    plain.forEach((name, value) -> env.add(variable(name, order.resolved(value))));
    role.secretEnv()
        .forEach((name, from) ->
            env.add(secret(order, name, LaunchOrder.dataKey(from.secret(), from.key()))));
    return env;
  }

  /**
   * Returns the callback address and credential of an attempt. An attempt that was launched without
   * them never gets them.
   */
  private static List<EnvVar> callback(
      LaunchOrder order, ClusterSettings settings, SortedSet<String> secretKeys) {
    JobSpec spec = order.job().spec();
    boolean answers =
        asksForCheckpoints(spec) || spec.progress() != null || !spec.outputs().isEmpty();
    if (settings.callback() == null || !answers || !secretKeys.contains(LaunchOrder.CREDENTIAL)) {
      return List.of();
    }
    String own = settings.callback() + "/api/v1/attempts/" + order.attempt().id().text();
    List<EnvVar> env = new ArrayList<>();
    env.add(variable("FAIRLEAD_CHECKPOINT_URL", own + "/checkpoint"));
    env.add(secret(order, "FAIRLEAD_CHECKPOINT_TOKEN", LaunchOrder.CREDENTIAL));
    if (spec.progress() != null) {
      env.add(variable("FAIRLEAD_PROGRESS_URL", own + "/progress"));
    }
    if (!spec.outputs().isEmpty()) {
      env.add(variable("FAIRLEAD_OUTPUTS_URL", own + "/outputs"));
    }
    return env;
  }

  static EnvVar variable(String name, String value) {
    return new EnvVarBuilder().withName(name).withValue(literal(value)).build();
  }

  private static EnvVar secret(LaunchOrder order, String name, String key) {
    return new EnvVarBuilder()
        .withName(name)
        .withNewValueFrom()
        .withNewSecretKeyRef(key, ObjectNames.attempt(order.attempt().id()), false)
        .endValueFrom()
        .build();
  }

  /**
   * Kubernetes expands {@code $(NAME)} in values and commands and reduces two dollars to one.
   * Doubling each dollar therefore preserves any text exactly.
   */
  static String literal(String value) {
    return value.replace("$", "$$");
  }

  /** Words of a command with the values of the outputs that they reference. */
  static List<String> words(LaunchOrder order, List<String> words) {
    return words.stream().map(order::resolved).map(PodSpecs::literal).toList();
  }

  private static SortedMap<String, Quantity> requests(
      RoleSpec role, SortedMap<String, Quantity> devices) {
    SortedMap<String, Quantity> requests = limits(role, devices);
    requests.put(
        "cpu", new Quantity(dev.fairlead.kernel.resources.Quantity.ofMilli(role.cpuMilli())));
    return requests;
  }

  /** Memory and devices are limited. CPU is shared by request, so that idle cores can be used. */
  private static SortedMap<String, Quantity> limits(
      RoleSpec role, SortedMap<String, Quantity> devices) {
    SortedMap<String, Quantity> limits = new TreeMap<>();
    limits.put(
        "memory",
        new Quantity(dev.fairlead.kernel.resources.Quantity.ofMebibytes(role.memoryMiB())));
    limits.putAll(devices);
    return limits;
  }

  /** Returns the member's request for GPUs and fabric, under the resource names of the node. */
  private static SortedMap<String, Quantity> devices(
      RoleSpec role, Member member, ClusterSettings settings, @Nullable NodeReport node) {
    SortedMap<String, Quantity> devices = new TreeMap<>();
    GpuRequest gpu = role.gpu();
    boolean renamed =
        node != null && node.allocatable().extended().containsKey(GpuResources.SHARED);
    String units = renamed ? GpuResources.SHARED : GpuResources.WHOLE;
    boolean claimed = GpuClaims.claimed(settings.devices(), role, member);
    switch (claimed ? GpuRequest.Kind.NONE : gpu.kind()) {
      case WHOLE -> devices.put(GpuResources.WHOLE, new Quantity(Integer.toString(gpu.count())));
      case MIG ->
          devices.put(
              GpuOffer.sliceResource(
                  node == null ? Collections.emptySortedMap() : node.labels(),
                  gpu.migProfile() == null ? "" : gpu.migProfile(),
                  units),
              new Quantity(Integer.toString(gpu.count())));
      case FRACTION -> devices.put(units, new Quantity("1"));
      case NONE, MEMORY -> {}
    }
    if (role.rdma() && settings.rdmaResource() != null) {
      devices.put(settings.rdmaResource(), new Quantity("1"));
    }
    return devices;
  }

  private static List<Volume> volumes(
      LaunchOrder order, RoleSpec role, SortedSet<String> secretKeys) {
    List<Volume> volumes = new ArrayList<>();
    Quantity shm = new Quantity(dev.fairlead.kernel.resources.Quantity.ofMebibytes(role.shmMiB()));
    volumes.add(
        new VolumeBuilder()
            .withName("shm")
            .withNewEmptyDir()
            .withMedium("Memory")
            .withSizeLimit(shm)
            .endEmptyDir()
            .build());
    volumes.add(new VolumeBuilder().withName("tmp").withNewEmptyDir().endEmptyDir().build());
    volumes.add(new VolumeBuilder().withName("home").withNewEmptyDir().endEmptyDir().build());
    List<VolumeProjection> files = files(order);
    if (!files.isEmpty()) {
      volumes.add(
          new VolumeBuilder()
              .withName(FILES)
              .withNewProjected()
              .withSources(files)
              .endProjected()
              .build());
    }
    List<JobSpec.VolumeSpec> wanted = order.job().spec().volumes();
    for (int i = 0; i < wanted.size(); i++) {
      volumes.add(volume(order, name(wanted.get(i), i), wanted.get(i), secretKeys));
    }
    return volumes;
  }

  private static boolean asksForCheckpoints(JobSpec spec) {
    return spec.preemption().checkpointTimeout() != null;
  }

  /** Files that members read below {@link ObjectNames#FILES}. */
  private static List<VolumeProjection> files(LaunchOrder order) {
    List<VolumeProjection> files = new ArrayList<>();
    if (ManifestFactory.hosts(order)) {
      files.add(ofAnchor(order, ManifestFactory.HOSTS, ObjectNames.HOSTS_FILE));
    }
    Launchers.of(order.job().spec().launcher())
        .files()
        .keySet()
        .forEach(name ->
            files.add(
                ofAnchor(
                    order, ManifestFactory.LAUNCHER_FILE + name, MemberValues.FILES + "/" + name)));
    if (asksForCheckpoints(order.job().spec())) {
      files.add( // a kubelet writes the annotation to the file some seconds after its change
          new VolumeProjectionBuilder()
              .withNewDownwardAPI()
              .addNewItem()
              .withPath(file(ObjectNames.CHECKPOINT_FILE))
              .withNewFieldRef("v1", "metadata.annotations['" + ObjectNames.CHECKPOINT + "']")
              .endItem()
              .endDownwardAPI()
              .build());
    }
    return files;
  }

  private static VolumeProjection ofAnchor(LaunchOrder order, String key, String path) {
    return new VolumeProjectionBuilder()
        .withNewConfigMap()
        .withName(ObjectNames.attempt(order.attempt().id()))
        .addNewItem()
        .withKey(key)
        .withPath(file(path))
        .endItem()
        .endConfigMap()
        .build();
  }

  private static String file(String path) {
    return path.substring(ObjectNames.FILES.length() + 1);
  }

  private static Volume volume(
      LaunchOrder order, String name, JobSpec.VolumeSpec wanted, SortedSet<String> secretKeys) {
    VolumeBuilder volume = new VolumeBuilder().withName(name);
    String secret = wanted.secret();
    if (secret == null) {
      return volume.withNewPersistentVolumeClaim(wanted.claim(), wanted.readOnly()).build();
    }
    String prefix = LaunchOrder.dataKey(secret, "");
    List<KeyToPath> files =
        secretKeys.stream()
            .filter(key -> key.startsWith(prefix))
            .map(key ->
                new KeyToPathBuilder()
                    .withKey(key)
                    .withPath(key.substring(prefix.length()))
                    .build())
            .toList();
    return volume
        .withNewSecret()
        .withSecretName(ObjectNames.attempt(order.attempt().id()))
        .withItems(files)
        .withDefaultMode(SECRET_FILES)
        .endSecret()
        .build();
  }

  private static String name(JobSpec.VolumeSpec volume, int index) {
    return (volume.secret() == null ? "claim-" : "secret-") + index;
  }

  private static List<VolumeMount> mounts(LaunchOrder order) {
    JobSpec spec = order.job().spec();
    List<VolumeMount> mounts = new ArrayList<>();
    mounts.add(mount("shm", "/dev/shm", false));
    mounts.add(mount("tmp", "/tmp", false));
    mounts.add(mount("home", HOME, false));
    if (!files(order).isEmpty()) {
      mounts.add(mount(FILES, ObjectNames.FILES, true));
    }
    for (int i = 0; i < spec.volumes().size(); i++) {
      JobSpec.VolumeSpec volume = spec.volumes().get(i);
      mounts.add(mount(name(volume, i), volume.mountPath(), volume.readOnly()));
    }
    return mounts;
  }

  private static VolumeMount mount(String volume, String path, boolean readOnly) {
    VolumeMountBuilder mount = new VolumeMountBuilder().withName(volume).withMountPath(path);
    return readOnly ? mount.withReadOnly(true).build() : mount.build();
  }

  /**
   * Uses a numeric user, because an image may name a user with a number that the kubelet cannot
   * determine, or root.
   */
  private static PodSecurityContext podSecurity() {
    return new PodSecurityContextBuilder()
        .withRunAsNonRoot(true)
        .withRunAsUser(USER)
        .withRunAsGroup(USER)
        .withFsGroup(USER)
        .withFsGroupChangePolicy("OnRootMismatch") // else each mount changes the modes of all files
        .withNewSeccompProfile(null, "RuntimeDefault")
        .build();
  }

  private static SecurityContext security() {
    return new SecurityContextBuilder()
        .withAllowPrivilegeEscalation(false)
        .withNewCapabilities()
        .withDrop("ALL")
        .endCapabilities()
        .build();
  }

  public static RoleSpec role(JobSpec spec, Member member) {
    return spec.roles().stream()
        .filter(r -> r.name().equals(member.role()))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no role " + member.role()));
  }
}
