package dev.fairlead.work.workload.kubernetes.pod;

import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.spec.ContainerSpec;
import dev.fairlead.work.spec.ExtraContainers;
import dev.fairlead.work.spec.WorkdirSpec;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.judgement.ObservedMember;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The init containers and sidecars of a job. They have the security of the job's container, no
 * device, and only the mounts that the job gives them. Sidecars are init containers that restart
 * (https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers): a kubelet stops them
 * after the job's container, and their end is not a result of the job.
 */
public final class PodContainers {
  private static final String SIDECAR = "Always";
  private static final int FIRST_WITH_SIDECARS = 29;
  private static final Pattern VERSION = Pattern.compile("v?1\\.([0-9]+).*");
  private static final int PROBE_SECONDS = 1;
  private static final int PROBES = 600;

  private PodContainers() {}

  /**
   * Returns why a cluster of this version cannot run the containers, null if it can or the version
   * is unknown.
   */
  public static @Nullable String trouble(ExtraContainers extraContainers, String serverVersion) {
    Matcher version = VERSION.matcher(serverVersion);
    return !extraContainers.sidecars().isEmpty()
            && version.matches()
            && Integer.parseInt(version.group(1)) < FIRST_WITH_SIDECARS
        ? "sidecars need Kubernetes 1.%d, not %s".formatted(FIRST_WITH_SIDECARS, serverVersion)
        : null;
  }

  /** Returns the pod with these containers appended. */
  public static Pod in(Pod pod, LaunchOrder order, ExtraContainers extraContainers) {
    Container main = pod.getSpec().getContainers().getFirst();
    List<Container> more = new ArrayList<>();
    extraContainers.init().forEach(spec -> more.add(container(order, spec, main).build()));
    extraContainers.sidecars().forEach(spec -> more.add(sidecar(order, spec, main)));
    return more.isEmpty()
        ? pod
        : new PodBuilder(pod).editSpec().addAllToInitContainers(more).endSpec().build();
  }

  private static Container sidecar(LaunchOrder order, ContainerSpec spec, Container main) {
    ContainerBuilder container = container(order, spec, main).withRestartPolicy(SIDECAR);
    Integer port = spec.port();
    if (port != null) {
      container.addNewPort().withProtocol("TCP").withContainerPort(port).endPort();
      container.withStartupProbe(
          new ProbeBuilder()
              .withPeriodSeconds(PROBE_SECONDS)
              .withFailureThreshold(PROBES)
              .withNewTcpSocket()
              .withPort(new IntOrString(port))
              .endTcpSocket()
              .build());
    }
    return container.build();
  }

  private static ContainerBuilder container(LaunchOrder order, ContainerSpec spec, Container main) {
    var memory =
        new io.fabric8.kubernetes.api.model.Quantity(Quantity.ofMebibytes(spec.memoryMiB()));
    var cpu = new io.fabric8.kubernetes.api.model.Quantity(Quantity.ofMilli(spec.cpuMilli()));
    ContainerBuilder container =
        new ContainerBuilder()
            .withName(spec.name())
            .withImage(spec.image())
            .withEnv(environment(order, spec, main))
            .withVolumeMounts(
                main.getVolumeMounts().stream().filter(mount -> has(spec, mount)).toList())
            .withSecurityContext(main.getSecurityContext())
            .withNewResources()
            .withRequests(Map.of("cpu", cpu, "memory", memory))
            .withLimits(Map.of("memory", memory))
            .endResources()
            .withTerminationMessagePolicy("FallbackToLogsOnError");
    List<String> command = spec.command().command();
    List<String> args = spec.command().args();
    if (!command.isEmpty()) {
      container.withCommand(PodSpecs.words(order, command));
    }
    if (!args.isEmpty()) {
      container.withArgs(PodSpecs.words(order, args));
    }
    return container;
  }

  /** The files of Fairlead are readable everywhere. */
  private static boolean has(ContainerSpec spec, VolumeMount mount) {
    return mount.getMountPath().equals(ObjectNames.FILES)
        || spec.mounts().contains(mount.getMountPath());
  }

  /** Variables of Fairlead that the program has as plain values, and the container's own. */
  private static List<EnvVar> environment(LaunchOrder order, ContainerSpec spec, Container main) {
    SortedMap<String, EnvVar> env = new TreeMap<>();
    for (EnvVar variable : main.getEnv()) {
      if (variable.getName().startsWith("FAIRLEAD_") && variable.getValueFrom() == null) {
        env.put(variable.getName(), variable);
      }
    }
    env.remove("FAIRLEAD_CHECKPOINT_URL");
    env.remove("FAIRLEAD_PROGRESS_URL");
    if (!spec.mounts().contains(WorkdirSpec.DIRECTORY)) {
      env.remove("FAIRLEAD_WORKDIR");
    }
    env.put("HOME", PodSpecs.variable("HOME", "/tmp"));
    spec.env()
        .forEach((name, value) -> env.put(name, PodSpecs.variable(name, order.resolved(value))));
    env.put("NVIDIA_VISIBLE_DEVICES", PodSpecs.variable("NVIDIA_VISIBLE_DEVICES", "void"));
    return List.copyOf(env.values());
  }

  private static Stream<ContainerStatus> statuses(PodStatus status) {
    return status.getInitContainerStatuses() == null
        ? Stream.empty()
        : status.getInitContainerStatuses().stream()
            .filter(container -> !CodeContainer.NAME.equals(container.getName()))
            .filter(container -> container.getState() != null);
  }

  /** Returns the reason of a member that failed in an init container, null if none failed. */
  static @Nullable String reason(PodStatus status) {
    return statuses(status)
        .filter(container -> failed(container.getState().getTerminated()))
        .map(container -> reason(container.getName(), container.getState().getTerminated()))
        .findFirst()
        .orElse(null);
  }

  private static boolean failed(@Nullable ContainerStateTerminated end) {
    return end != null && !Integer.valueOf(0).equals(end.getExitCode());
  }

  private static String reason(String name, ContainerStateTerminated end) {
    String ofKubelet = String.valueOf(end.getReason());
    return ObservedMember.LOST_RESULTS.contains(ofKubelet)
        ? ofKubelet
        : String.join(" ", ObservedMember.INIT_FAILED, name, String.valueOf(end.getExitCode()));
  }

  /** Returns the first container that cannot start, null if none is known. */
  static @Nullable ContainerStatus blocked(PodStatus status) {
    return statuses(status)
        .filter(container -> {
          var waiting = container.getState().getWaiting();
          return waiting != null
              && waiting.getReason() != null
              && !"PodInitializing".equals(waiting.getReason());
        })
        .findFirst()
        .orElse(null);
  }
}
