package dev.fairlead.work.workload.kubernetes.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterSettings.Pinning;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.launcher.Launchers;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.kubernetes.Orders;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapProjection;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.KeyToPathBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Manifests as files; {@code -Dfairlead.update=true} rewrites them, and a review reads the
 * difference.
 */
public class ManifestFactoryTest {
  /** The kinds of jobs with golden manifests. */
  public enum Kind {
    SINGLE(Orders.single()),
    GANG(Orders.gang()),
    ELEMENT(Orders.element()),
    FRACTION(Orders.fraction()),
    MIG(Orders.mig()),
    RDMA(Orders.rdma()),
    SAVING(Orders.saving()),
    ANSWERING(
        LaunchOrders.answering(Orders.saving(), "fla_0"),
        ClusterSettings.DEFAULT.withCallback("https://fairlead.example.com")),
    SECRETS(Orders.secrets()),
    LOGIN(Orders.login()),
    VOLUMES(Orders.volumes(), ClusterSettings.DEFAULT.withPinning(Pinning.SCHEDULER)),
    CLAIMED(
        Orders.single(),
        ClusterSettings.DEFAULT
            .withPinning(Pinning.SCHEDULER)
            .withDevices(PodDevices.claimed("gpu.nvidia.com", "gpu.nvidia.com")));

    private final LaunchOrder order;
    private final ClusterSettings settings;

    Kind(LaunchOrder order) {
      this(order, ClusterSettings.of(List.of(), Pinning.DIRECT, "rdma/hca"));
    }

    Kind(LaunchOrder order, ClusterSettings settings) {
      this.order = order;
      this.settings = settings;
    }

    public List<HasMetadata> objects() {
      return ManifestFactoryTest.objects(order, settings);
    }

    Path file() {
      return Path.of(
          "src/test/resources/manifests", name().toLowerCase(java.util.Locale.ROOT) + ".yaml");
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void manifestsMatchTheGoldenFile(Kind kind) throws IOException {
    StringBuilder yaml = new StringBuilder();
    for (HasMetadata object : kind.objects()) {
      yaml.append("---\n").append(Serialization.asYaml(object).replaceFirst("^---\n", ""));
    }
    if (Boolean.getBoolean("fairlead.update")) {
      Files.createDirectories(kind.file().getParent());
      Files.writeString(kind.file(), yaml);
    }
    assertThat(yaml.toString()).isEqualTo(Files.readString(kind.file()));
  }

  @Test
  void onlyASimulatedNodeGetsSimulationAnnotations() {
    LaunchOrder order = Orders.single();
    Member member = order.attempt().members().getFirst();
    assertThat(
            ManifestFactory.pod(order, member, null, ClusterSettings.DEFAULT, null)
                .getMetadata()
                .getAnnotations())
        .containsOnlyKeys(
            "consul.hashicorp.com/connect-inject",
            "linkerd.io/inject",
            "sidecar.istio.io/inject",
            "sidecar.opentelemetry.io/inject");
    assertThat(
            ManifestFactory.pod(order, member, null, ClusterSettings.DEFAULT, Orders.SIMULATED)
                .getMetadata()
                .getAnnotations())
        .containsEntry("sim.fairlead.dev/outcome", "fail")
        .containsEntry("sim.fairlead.dev/run-for", "20s")
        .doesNotContainKey("sim.fairlead.dev/members");
  }

  @Test
  void repeatedOrdersForAnAttemptDifferOnlyInTheirEpoch() {
    LaunchOrder order = Orders.single();
    LaunchOrder later = dev.fairlead.work.workload.LaunchOrders.under(order.epoch() + 1, order);
    Member member = order.attempt().members().getFirst();
    Pod first = ManifestFactory.pod(order, member, null, ClusterSettings.DEFAULT, null);
    Pod second = ManifestFactory.pod(later, member, null, ClusterSettings.DEFAULT, null);
    assertThat(first).isNotEqualTo(second);
    assertThat(ObjectLabels.sameIdentity(first, second)).isTrue();
    assertThat(first.getSpec()).isEqualTo(second.getSpec());
  }

  /** Fails when a name of the host file or the head's address belongs to no pod of the gang. */
  @Test
  void hostsOfAGangResolveToItsPods() {
    LaunchOrder order = Orders.rdma();
    ConfigMap anchor = ManifestFactory.anchor(order);
    Service service = (Service) ManifestFactory.dependents(order, anchor).getFirst();
    assertThat(service.getSpec().getClusterIP()).isEqualTo("None");
    assertThat(service.getSpec().getPublishNotReadyAddresses()).isTrue();

    List<String> names = new ArrayList<>();
    for (Member member : order.attempt().members()) {
      Pod pod = ManifestFactory.pod(order, member, anchor, ClusterSettings.DEFAULT, null);
      assertThat(pod.getSpec().getSubdomain()).isEqualTo(service.getMetadata().getName());
      assertThat(pod.getMetadata().getLabels())
          .containsAllEntriesOf(service.getSpec().getSelector());
      assertThat(mounted(pod)).isEqualTo(anchor.getMetadata().getName());
      names.add(pod.getSpec().getHostname() + "." + pod.getSpec().getSubdomain());
      assertThat(value(pod, "FAIRLEAD_HEAD"))
          .isEqualTo(names.getFirst() + ".fairlead-nlp.svc.cluster.local");
    }
    assertThat(anchor.getData().get("hosts").lines())
        .containsExactly(names.get(0) + " slots=8", names.get(1) + " slots=8");
  }

  /** Fails when a file of a launcher replaces the host file or another fact of the anchor. */
  @Test
  void filesOfALauncherHaveSeparateKeys() {
    Launchers.extend(
        new TreeMap<>(
            Map.of("own.yaml", "name: none\ndescription: d\nfiles: {hosts: mine, epoch: x}\n")));
    try {
      LaunchOrder order = Orders.rdma();
      ConfigMap anchor = ManifestFactory.anchor(order);
      assertThat(anchor.getData()).containsEntry("launcher-hosts", "mine");
      assertThat(anchor.getData().get("hosts")).contains(" slots=8");
      assertThat(anchor.getData().get("epoch")).isEqualTo(Long.toString(order.epoch()));
    } finally {
      Launchers.extend(new TreeMap<>());
    }
  }

  /** Name of the ConfigMap whose host file is at the path that the program is given. */
  private static String mounted(Pod pod) {
    VolumeMount mount =
        pod.getSpec().getContainers().getFirst().getVolumeMounts().stream()
            .filter(m -> value(pod, "FAIRLEAD_HOSTS_FILE").startsWith(m.getMountPath() + "/"))
            .findFirst()
            .orElseThrow();
    ConfigMapProjection projection =
        pod.getSpec().getVolumes().stream()
            .filter(volume -> volume.getName().equals(mount.getName()))
            .findFirst()
            .orElseThrow()
            .getProjected()
            .getSources()
            .getFirst()
            .getConfigMap();
    assertThat(projection.getItems())
        .containsExactly(new KeyToPathBuilder().withKey("hosts").withPath("hosts").build());
    return projection.getName();
  }

  private static String value(Pod pod, String variable) {
    return pod.getSpec().getContainers().getFirst().getEnv().stream()
        .filter(env -> env.getName().equals(variable))
        .findFirst()
        .orElseThrow()
        .getValue();
  }

  static List<HasMetadata> objects(LaunchOrder order, ClusterSettings settings) {
    List<HasMetadata> objects = new ArrayList<>();
    ConfigMap anchor = null;
    if (ManifestFactory.anchored(order, settings)) {
      anchor = ManifestFactory.anchor(order);
      anchor.getMetadata().setUid("uid-of-the-anchor");
      objects.add(anchor);
      objects.addAll(ManifestFactory.dependents(order, anchor));
      if (ManifestFactory.secret(order)) {
        objects.add(ManifestFactory.secret(order, anchor));
      }
    }
    ResourceClaim claim =
        ManifestFactory.claim(order, order.attempt().members().getFirst(), anchor, settings);
    if (claim != null) {
      objects.add(claim);
    }
    // The first and the last member of a gang. The others differ only in their numbers.
    List<Member> members = order.attempt().members();
    objects.add(ManifestFactory.pod(order, members.getFirst(), anchor, settings, Orders.PARTS));
    if (members.size() > 1) {
      objects.add(
          ManifestFactory.pod(order, members.getLast(), anchor, settings, Orders.SIMULATED));
    }
    return objects;
  }

  /** Fails when an attempt gets files that it cannot use, or a late member gets none. */
  @Test
  void onlyAnAttemptLaunchedWithACredentialReports() {
    LaunchOrder order = LaunchOrders.answering(Orders.saving(), "fla_0");
    assertThat(ManifestFactory.anchored(order.withoutCallback(), ClusterSettings.DEFAULT))
        .isFalse();
    assertThat(
            variables(
                ManifestFactory.pod(
                    order,
                    order.attempt().members().getFirst(),
                    ManifestFactory.anchor(Orders.secrets()),
                    ClusterSettings.DEFAULT.withCallback("https://fairlead.example.com"),
                    null)))
        .as("the cluster had no address when it was launched")
        .doesNotContain("FAIRLEAD_CHECKPOINT_TOKEN", "FAIRLEAD_CHECKPOINT_URL");
    assertThat(ManifestFactory.anchor(order).toString())
        .as("the value stands in the secret alone")
        .doesNotContain("fla_0");
  }

  /**
   * Fails when a program does not get the address for progress reports, or other containers get it.
   */
  @Test
  void jobThatReportsProgressHasTheAddressForIt() {
    ClusterSettings calling = ClusterSettings.DEFAULT.withCallback("https://fairlead.example.com");
    LaunchOrder order = LaunchOrders.answering(Orders.progressing(), "fla_0");
    Pod pod =
        ManifestFactory.pod(
            order,
            order.attempt().members().getFirst(),
            ManifestFactory.anchor(order),
            calling,
            null);
    assertThat(pod.getSpec().getContainers().getFirst().getEnv())
        .filteredOn(variable -> variable.getName().equals("FAIRLEAD_PROGRESS_URL"))
        .singleElement()
        .satisfies(variable ->
            assertThat(variable.getValue())
                .isEqualTo(
                    "https://fairlead.example.com/api/v1/attempts/%s/progress"
                        .formatted(order.attempt().id().text())));
    LaunchOrder saving = LaunchOrders.answering(Orders.saving(), "fla_0");
    assertThat(
            variables(
                ManifestFactory.pod(
                    saving,
                    saving.attempt().members().getFirst(),
                    ManifestFactory.anchor(saving),
                    calling,
                    null)))
        .contains("FAIRLEAD_CHECKPOINT_TOKEN")
        .doesNotContain("FAIRLEAD_PROGRESS_URL");
  }

  /** Fails when a program with outputs lacks the address or credential to report them. */
  @Test
  void jobWithOutputsGetsTheirAddress() {
    LaunchOrder order = LaunchOrders.answering(Orders.reporting(), "fla_0");
    Pod pod =
        ManifestFactory.pod(
            order,
            order.attempt().members().getFirst(),
            ManifestFactory.anchor(order),
            ClusterSettings.DEFAULT.withCallback("https://fairlead.example.com"),
            null);
    assertThat(variables(pod))
        .contains("FAIRLEAD_CHECKPOINT_TOKEN")
        .doesNotContain("FAIRLEAD_PROGRESS_URL");
    assertThat(pod.getSpec().getContainers().getFirst().getEnv())
        .filteredOn(variable -> variable.getName().equals("FAIRLEAD_OUTPUTS_URL"))
        .singleElement()
        .satisfies(variable ->
            assertThat(variable.getValue())
                .endsWith("/api/v1/attempts/%s/outputs".formatted(order.attempt().id().text())));
  }

  private static List<String> variables(Pod pod) {
    return pod.getSpec().getContainers().getFirst().getEnv().stream().map(EnvVar::getName).toList();
  }

  /** Fails when files follow the current keys: a late member would wait for a missing key. */
  @Test
  void filesMatchTheLaunchOfTheAttempt() {
    LaunchOrder first = Orders.secrets();
    ConfigMap anchor = ManifestFactory.anchor(first);
    LaunchOrder now = LaunchOrders.keeping(first, "tls", "other.crt", "PEM");

    Pod pod =
        ManifestFactory.pod(
            now, now.attempt().members().getFirst(), anchor, ClusterSettings.DEFAULT, null);
    assertThat(pod.getSpec().getVolumes())
        .filteredOn(volume -> volume.getSecret() != null)
        .flatExtracting(volume -> volume.getSecret().getItems())
        .extracting(KeyToPath::getKey)
        .containsExactly("tls.tls.crt");
    assertThat(ManifestFactory.secret(now, anchor).getData().keySet()).containsExactly("hub.token");
    assertThat(first.secretData()).hasSize(2);
  }

  /** Fails when members that join late name a login that the attempt's Secret does not have. */
  @Test
  void onlyAnAttemptLaunchedWithALoginPullsWithIt() {
    LaunchOrder order = Orders.login();
    ConfigMap before = ManifestFactory.anchor(Orders.secrets());

    assertThat(pod(order, before).getSpec().getImagePullSecrets()).isEmpty();
    assertThat(ManifestFactory.secret(order, before).getType()).isEqualTo("Opaque");
    assertThat(pod(Orders.single(), null).getSpec().getImagePullSecrets()).isEmpty();
    assertThat(ManifestFactory.anchor(order).toString()).doesNotContain("ZmFpcmxlYWQ6cw==");
  }

  private static Pod pod(LaunchOrder order, @org.jspecify.annotations.Nullable ConfigMap anchor) {
    return ManifestFactory.pod(
        order, order.attempt().members().getFirst(), anchor, ClusterSettings.DEFAULT, null);
  }

  /** Fails when keys that no role names are present on the cluster. */
  @Test
  void secretContainsOnlyKeysThatTheJobReferences() {
    LaunchOrder order = Orders.secrets();
    order
        .secrets()
        .ofProject()
        .get("hub")
        .put("unused", new dev.fairlead.kernel.keyring.Secret("x"));
    assertThat(order.secretData().keySet()).containsExactly("hub.token", "tls.tls.crt");
  }
}
