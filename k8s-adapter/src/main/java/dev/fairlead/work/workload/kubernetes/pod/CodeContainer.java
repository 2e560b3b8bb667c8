package dev.fairlead.work.workload.kubernetes.pod;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.spec.WorkdirSpec;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.judgement.ObservedMember;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The init container that fetches the code of an attempt with the attempt's credential and unpacks
 * it into the working directory of the program. It has the security of the job's container, its
 * memory and CPU, and no device.
 */
public final class CodeContainer {
  static final String NAME = "workdir";

  private static final String PROGRAM = program();
  private static final int MISSING = 44;
  private static final int BROKEN = 45;

  private CodeContainer() {}

  /**
   * Returns why the pods of the attempt could not fetch its code on this cluster, null if they can.
   */
  public static @Nullable String trouble(LaunchOrder order) {
    return order.job().spec().workdir() == null || order.secrets().credential() != null
        ? null
        : "pods of this cluster cannot fetch the workdir of the job: the cluster has no callback"
            + " address, or the service has no key file";
  }

  /**
   * Returns the pod with the container that unpacks the code.
   *
   * @param image image with Python
   */
  public static Pod in(
      Pod pod, LaunchOrder order, WorkdirSpec code, ClusterSettings settings, String image) {
    Container main = pod.getSpec().getContainers().getFirst();
    VolumeMount mount =
        new VolumeMountBuilder().withName(NAME).withMountPath(WorkdirSpec.DIRECTORY).build();
    return new PodBuilder(pod)
        .editSpec()
        .addNewVolume()
        .withName(NAME)
        .withNewEmptyDir()
        .endEmptyDir()
        .endVolume()
        .addToInitContainers(container(order, code, settings, image, main, mount))
        .editFirstContainer()
        .withWorkingDir(WorkdirSpec.DIRECTORY)
        .addToVolumeMounts(mount)
        .endContainer()
        .endSpec()
        .build();
  }

  private static Container container(
      LaunchOrder order,
      WorkdirSpec code,
      ClusterSettings settings,
      String image,
      Container main,
      VolumeMount mount) {
    String attempt = order.attempt().id().text();
    return new ContainerBuilder()
        .withName(NAME)
        .withImage(image)
        .withCommand("python3", "-c", PROGRAM)
        .withEnv(
            variable(
                "FAIRLEAD_WORKDIR_URL",
                settings.callback() + "/api/v1/attempts/" + attempt + "/workdir"),
            new EnvVarBuilder()
                .withName("FAIRLEAD_WORKDIR_TOKEN")
                .withNewValueFrom()
                .withNewSecretKeyRef(
                    LaunchOrder.CREDENTIAL, ObjectNames.attempt(order.attempt().id()), false)
                .endValueFrom()
                .build(),
            variable("FAIRLEAD_WORKDIR_DIGEST", code.digest()),
            variable("FAIRLEAD_WORKDIR", WorkdirSpec.DIRECTORY),
            variable("NVIDIA_VISIBLE_DEVICES", "void"))
        .withVolumeMounts(mount)
        .withSecurityContext(main.getSecurityContext())
        .withNewResources()
        .withRequests(withoutDevices(main.getResources().getRequests()))
        .withLimits(withoutDevices(main.getResources().getLimits()))
        .endResources()
        .withTerminationMessagePolicy("FallbackToLogsOnError")
        .build();
  }

  private static Map<String, Quantity> withoutDevices(Map<String, Quantity> amounts) {
    Map<String, Quantity> plain = new TreeMap<>(amounts);
    plain.keySet().retainAll(List.of("cpu", "memory"));
    return plain;
  }

  private static EnvVar variable(String name, String value) {
    return new EnvVarBuilder().withName(name).withValue(value.replace("$", "$$")).build();
  }

  /** Returns the status of the container, null for a pod without it or before it is known. */
  static @Nullable ContainerStatus status(PodStatus status) {
    return status.getInitContainerStatuses() == null
        ? null
        : status.getInitContainerStatuses().stream()
            .filter(container -> NAME.equals(container.getName()))
            .findFirst()
            .orElse(null);
  }

  /** Returns the reason of a member whose code was not unpacked. */
  static String reason(@Nullable Integer exitCode) {
    int code = exitCode == null ? 0 : exitCode;
    return switch (code) {
      case MISSING -> ObservedMember.WORKDIR_MISSING;
      case BROKEN -> ObservedMember.WORKDIR_BROKEN;
      default -> ObservedMember.WORKDIR_UNREACHABLE;
    };
  }

  private static String program() {
    try (InputStream in = CodeContainer.class.getResourceAsStream("/workdir/unpack.py")) {
      byte[] text = Objects.requireNonNull(in, "unpack.py").readAllBytes();
      return new String(text, StandardCharsets.UTF_8).replace("$", "$$");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
