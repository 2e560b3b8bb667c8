package dev.fairlead.work.workload.kubernetes.pod;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.people.audit.StateHash;
import dev.fairlead.people.secret.ProjectSecret;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.launcher.Launchers;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.spec.LogAnnotations;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.MemberEnvironment;
import dev.fairlead.work.workload.SimulationAnnotations;
import dev.fairlead.work.workload.kubernetes.dra.GpuClaims;
import dev.fairlead.work.workload.kubernetes.kind.InPlace;
import dev.fairlead.work.workload.kubernetes.namespace.Isolation;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Builds the objects of an attempt. Names depend only on the attempt and member, so every creator
 * finds the same objects. An attempt that consists of a single pod has no anchor.
 */
public final class ManifestFactory {
  private static final String SIMULATED_KUBELET = SimulationAnnotations.PREFIX + "kubelet";
  private static final int HASH_CHARACTERS = 16;

  /** Entry of an anchor with the keys of its Secret, which has the same name and cannot be read. */
  public static final String SECRET_KEYS = "secret";

  /** Key, on an anchor, of the host file that members mount. */
  static final String HOSTS = "hosts";

  /** Prefix of the keys, on an anchor, of the files of the launcher. */
  static final String LAUNCHER_FILE = "launcher-";

  /** Type of a Secret with a login at registries. */
  private static final String LOGIN = "kubernetes.io/dockerconfigjson";

  /**
   * Annotations that prevent service meshes and telemetry from injecting containers into the pod.
   */
  private static final SortedMap<String, String> WITHOUT_SIDECARS =
      new TreeMap<>(
          Map.of(
              "consul.hashicorp.com/connect-inject", "false",
              "linkerd.io/inject", "disabled",
              "sidecar.istio.io/inject", "false",
              "sidecar.opentelemetry.io/inject", "false"));

  /** Labels with the same purpose. */
  private static final SortedMap<String, String> WITHOUT_SIDECARS_BY_LABEL =
      new TreeMap<>(
          Map.of(
              "admission.datadoghq.com/enabled", "false",
              "kuma.io/sidecar-injection", "disabled",
              "sidecar.istio.io/inject", "false"));

  /** Labels of jobs of Ray pools that network policies select. */
  private static final List<String> RAY = List.of(RayPoolJob.CLUSTER, RayPoolJob.DRIVER);

  private ManifestFactory() {}

  /**
   * Returns whether the attempt has objects in addition to one pod, which then need an anchor as
   * their owner.
   */
  public static boolean anchored(LaunchOrder order, ClusterSettings settings) {
    return GpuClaims.claimed(settings.devices(), order.job().spec())
        || settings.backend().podGroups() != null
        || gang(order)
        || budgeted(order)
        || secret(order)
        || !files(order).isEmpty();
  }

  private static boolean gang(LaunchOrder order) {
    return order.job().spec().gang();
  }

  /** Files of the job's launcher, which the anchor holds. */
  private static SortedMap<String, String> files(LaunchOrder order) {
    return Launchers.of(order.job().spec().launcher()).files();
  }

  /** Returns whether the anchor has a host file. */
  static boolean hosts(LaunchOrder order) {
    return gang(order) && MemberEnvironment.fixed(order.job().spec());
  }

  public static boolean secret(LaunchOrder order) {
    return !order.job().spec().secrets().isEmpty() || !order.secretData().isEmpty();
  }

  /**
   * Returns whether evictions are blocked by a budget: the loss of one member of a gang loses all,
   * and a non-preemptible job must not be evicted by others.
   */
  private static boolean budgeted(LaunchOrder order) {
    return gang(order) || !order.job().spec().preemption().allowed();
  }

  public static ConfigMap anchor(LaunchOrder order) {
    SortedMap<String, String> facts = new TreeMap<>();
    facts.put("job", order.job().id().text());
    facts.put("attempt", order.attempt().id().text());
    facts.put("epoch", Long.toString(order.epoch()));
    facts.put("spec-hash", StateHash.of(order.job().spec()).substring(0, HASH_CHARACTERS));
    if (secret(order)) {
      facts.put(SECRET_KEYS, String.join(",", order.secretData().keySet()));
    }
    if (hosts(order)) {
      facts.put(HOSTS, MemberEnvironment.hosts(order.job(), order.attempt()));
    }
    InPlace object = InPlace.of(order.attempt(), order.job());
    if (object != null) {
      facts.put(InPlace.OBJECT, InPlace.object(order.job()));
      facts.put(InPlace.ROLES, InPlace.roles(order.job()));
      facts.put(InPlace.EACH, object.amounts());
      facts.put(InPlace.NODES, object.reserved());
    }
    files(order).forEach((name, text) -> facts.put(LAUNCHER_FILE + name, text));
    return new ConfigMapBuilder().withMetadata(meta(order, null)).withData(facts).build();
  }

  /** Returns the keys of the attempt's Secret, from the launch that created its anchor. */
  public static SortedSet<String> secretKeys(@Nullable ConfigMap anchor) {
    String keys =
        anchor == null || anchor.getData() == null
            ? ""
            : anchor.getData().getOrDefault(SECRET_KEYS, "");
    return new TreeSet<>(keys.isEmpty() ? List.of() : Arrays.asList(keys.split(",")));
  }

  /**
   * Returns one Secret with all secrets of the attempt, under the name of the attempt. It never
   * changes, because an attempt uses the values of its launch. A secret with registry credentials
   * has the type that a kubelet reads, and may contain more keys.
   */
  public static Secret secret(LaunchOrder order, ConfigMap anchor) {
    SortedMap<String, String> data = new TreeMap<>();
    order
        .secretData()
        .forEach((key, value) ->
            data.put(
                key,
                Base64.getEncoder()
                    .encodeToString(value.reveal().getBytes(StandardCharsets.UTF_8))));
    data.keySet().retainAll(secretKeys(anchor));
    return new SecretBuilder()
        .withMetadata(meta(order, anchor))
        .withType(data.containsKey(ProjectSecret.LOGIN_KEY) ? LOGIN : "Opaque")
        .withImmutable(true)
        .withData(data)
        .build();
  }

  /** Returns the objects that the anchor owns in addition to the pods and the secret. */
  public static List<HasMetadata> dependents(LaunchOrder order, ConfigMap anchor) {
    List<HasMetadata> dependents = new ArrayList<>();
    if (gang(order)) {
      dependents.add(service(order, anchor));
      dependents.add(
          Isolation.gang(
              meta(order, anchor),
              selector(order),
              order.job().spec().labels().get(RayPoolJob.CLUSTER)));
    }
    if (budgeted(order)) {
      dependents.add(budget(order, anchor));
    }
    return dependents;
  }

  /** Returns the PodGroup of the attempt, null if the scheduler of the cluster has none. */
  public static @Nullable GenericKubernetesResource group(
      LaunchOrder order, ConfigMap anchor, ClusterSettings settings) {
    return BackendPods.group(order, meta(order, anchor), settings);
  }

  /**
   * Returns a headless service that publishes the names of members before they are ready, so that
   * they find each other while starting.
   */
  private static Service service(LaunchOrder order, ConfigMap anchor) {
    return new ServiceBuilder()
        .withMetadata(meta(order, anchor))
        .withNewSpec()
        .withClusterIP("None")
        .withPublishNotReadyAddresses(true)
        .withSelector(selector(order))
        .endSpec()
        .build();
  }

  private static PodDisruptionBudget budget(LaunchOrder order, ConfigMap anchor) {
    return new PodDisruptionBudgetBuilder()
        .withMetadata(meta(order, anchor))
        .withNewSpec()
        /* An integer, since a percentage needs a controller that reports the expected pods. */
        .withNewMinAvailable(order.attempt().members().size())
        .withNewSelector()
        .withMatchLabels(selector(order))
        .endSelector()
        .endSpec()
        .build();
  }

  /**
   * @param anchor null for an attempt without one
   * @param node node of the pod, null if unknown
   */
  public static Pod pod(
      LaunchOrder order,
      Member member,
      @Nullable ConfigMap anchor,
      ClusterSettings settings,
      @Nullable NodeReport node) {
    MemberKey key = MemberKey.of(member);
    ObjectMetaBuilder meta =
        new ObjectMetaBuilder()
            .withName(ObjectNames.pod(order.attempt().id(), key))
            .withNamespace(order.project().namespace())
            .withLabels(ObjectLabels.of(order, key))
            .addToLabels(ObjectLabels.NETWORK, gang(order) ? ObjectLabels.GANG : ObjectLabels.ALONE)
            .addToLabels(WITHOUT_SIDECARS_BY_LABEL)
            .withAnnotations(WITHOUT_SIDECARS)
            .addToAnnotations(LogAnnotations.of(order.job().spec().annotations()))
            .withFinalizers(ObjectLabels.TRACKING);
    if (node != null && node.labels().containsKey(SIMULATED_KUBELET)) { // for a simulated kubelet
      meta.addToAnnotations(
          SimulationAnnotations.of(
              order.job().spec().annotations(),
              order.attempt().number(),
              order.attempt().element(),
              member.key()));
    }
    if (PodSpecs.takesRequests(order.job().spec(), member)) {
      SortedMap<String, String> of = order.job().spec().annotations();
      meta.addToLabels(ObjectLabels.SERVICE, of.get(ServiceVersion.OF_SERVICE))
          .addToLabels(ObjectLabels.SERVICE_VERSION, of.get(ServiceVersion.OF_VERSION));
    }
    for (String label : RAY) {
      String value = order.job().spec().labels().get(label);
      if (value != null) {
        meta.addToLabels(label, value);
      }
    }
    BackendPods.label(meta, order, settings, member);
    if (anchor != null) {
      meta.withOwnerReferences(owner(anchor));
    }
    PodSpec spec =
        ModelImage.in(
            PodSpecs.of(order, member, settings, node, secretKeys(anchor)), order.job().spec());
    boolean claims =
        GpuClaims.claimed(settings.devices(), PodSpecs.role(order.job().spec(), member), member);
    return new PodBuilder()
        .withMetadata(meta.build())
        .withSpec(claims ? GpuClaims.in(spec, meta.getName()) : spec)
        .build();
  }

  /** Returns the claim of the GPUs of a member, null for a member that claims none. */
  public static @Nullable ResourceClaim claim(
      LaunchOrder order, Member member, @Nullable ConfigMap anchor, ClusterSettings settings) {
    if (anchor == null
        || !GpuClaims.claimed(
            settings.devices(), PodSpecs.role(order.job().spec(), member), member)) {
      return null;
    }
    MemberKey key = MemberKey.of(member);
    ObjectMeta meta =
        new ObjectMetaBuilder()
            .withName(ObjectNames.pod(order.attempt().id(), key))
            .withNamespace(order.project().namespace())
            .withLabels(ObjectLabels.of(order, key))
            .withOwnerReferences(owner(anchor))
            .build();
    return GpuClaims.of(
        meta, PodSpecs.role(order.job().spec(), member), member, settings.devices());
  }

  private static ObjectMeta meta(LaunchOrder order, @Nullable ConfigMap anchor) {
    ObjectMetaBuilder meta =
        new ObjectMetaBuilder()
            .withName(ObjectNames.attempt(order.attempt().id()))
            .withNamespace(order.project().namespace())
            .withLabels(ObjectLabels.of(order));
    return anchor == null ? meta.build() : meta.withOwnerReferences(owner(anchor)).build();
  }

  private static OwnerReference owner(ConfigMap anchor) {
    return new OwnerReferenceBuilder()
        .withApiVersion("v1")
        .withKind("ConfigMap")
        .withName(anchor.getMetadata().getName())
        .withUid(anchor.getMetadata().getUid())
        .withController(true)
        .build();
  }

  private static Map<String, String> selector(LaunchOrder order) {
    return Map.of(ObjectLabels.ATTEMPT, order.attempt().id().bare());
  }
}
