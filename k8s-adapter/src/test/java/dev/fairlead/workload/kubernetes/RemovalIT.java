package dev.fairlead.workload.kubernetes;

import static dev.fairlead.workload.kubernetes.RealCluster.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.cluster.ClusterSettings;
import dev.fairlead.lease.Installation;
import dev.fairlead.tenant.Egress;
import dev.fairlead.workload.LaunchOrder;
import dev.fairlead.workload.NamespacePlan;
import dev.fairlead.workload.kubernetes.call.CallLimits;
import dev.fairlead.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.workload.kubernetes.call.ClusterGates;
import dev.fairlead.workload.kubernetes.namespace.NamespaceWalls;
import dev.fairlead.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.workload.kubernetes.namespace.ObjectLabels;
import dev.fairlead.workload.kubernetes.namespace.Upkeep;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Namespaces of archived tenants on a real API server, and what is told of those that stay. */
@OnControlPlane
class RemovalIT {
  private static final String ROLE = "fairlead-removal";
  private final TestCluster cluster = KubernetesCluster.shared();
  private final Installation installation = new Installation(new UUID(random(), random()), 1);
  private final String namespace = "fairlead-" + installation.label();
  private final ClusterCalls calls =
      new ClusterGates(CallLimits.DEFAULT, Duration.ofSeconds(10), new SimpleMeterRegistry())
          .open("removal");
  private final NamespaceWalls walls = new NamespaceWalls(installation, calls, System::nanoTime);
  private final Namespaces namespaces =
      new Namespaces(installation, calls, walls, System::nanoTime);
  private final Upkeep upkeep =
      new Upkeep(installation, calls, namespaces, walls, Set::of, InstantSource.system());
  private final KubernetesClient fairlead =
      new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(cluster.kubeconfig())).build();

  private static long random() {
    return ThreadLocalRandom.current().nextLong();
  }

  @BeforeEach
  void aNamespaceOfATenantThatIsArchived() {
    namespaces.ensureSystem(fairlead);
    assertThat(namespaces.ensure(fairlead, namespace)).isNull();
    walls.plans().all(List.of(new NamespacePlan(namespace, Egress.OPEN, true)));
  }

  @AfterEach
  void close() {
    fairlead.close();
    calls.close();
  }

  /** In this namespace alone: other tests ask for the rights that Fairlead has elsewhere. */
  private void mayRemove() {
    KubernetesClient admin = cluster.admin();
    admin
        .resource(
            new ClusterRoleBuilder()
                .withNewMetadata()
                .withName(ROLE)
                .endMetadata()
                .addNewRule()
                .withApiGroups("")
                .withResources("namespaces")
                .withVerbs("delete")
                .endRule()
                .addNewRule()
                .withApiGroups("")
                .withResources("persistentvolumeclaims")
                .withVerbs("list")
                .endRule()
                .build())
        .serverSideApply();
    admin
        .resource(
            new RoleBindingBuilder()
                .withNewMetadata()
                .withName(ROLE)
                .withNamespace(namespace)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", ROLE)
                .addNewSubject("", "ServiceAccount", "fairlead", Namespaces.SYSTEM)
                .build())
        .create();
  }

  private @Nullable Namespace there() {
    return cluster.admin().namespaces().withName(namespace).get();
  }

  private boolean leaving() {
    Namespace there = there();
    return there == null || there.getMetadata().getDeletionTimestamp() != null;
  }

  private static PodSpec spec() {
    LaunchOrder order = Orders.single();
    return ManifestFactory.pod(
            order, order.attempt().members().getFirst(), null, ClusterSettings.DEFAULT, null)
        .getSpec();
  }

  @Test
  void withoutTheRightItStaysAndIsNamed() {
    upkeep.look(fairlead);

    assertThat(leaving()).isFalse();
    assertThat(upkeep.unremoved()).contains(namespace, "deploy/cluster-removal.yaml");
  }

  /** Fails when data or a pod goes with a namespace, or an empty one stays. */
  @Test
  void itGoesOnceNeitherAPodNorAClaimIsThere() {
    mayRemove();
    KubernetesClient admin = cluster.admin();
    var claim =
        new PersistentVolumeClaimBuilder()
            .withNewMetadata()
            .withName("data")
            .withNamespace(namespace)
            .endMetadata()
            .withNewSpec()
            .withAccessModes("ReadWriteOnce")
            .withNewResources()
            .withRequests(Map.of("storage", new Quantity("1Gi")))
            .endResources()
            .endSpec()
            .build();
    admin.resource(claim).create();
    upkeep.look(fairlead);
    assertThat(leaving()).isFalse();
    assertThat(upkeep.unremoved()).contains(namespace, "volume claims");
    admin
        .resource(claim)
        .edit(c -> {
          c.getMetadata().setFinalizers(List.of());
          return c;
        });
    admin.resource(claim).delete();
    eventually(
        "the claim is gone",
        () -> admin.persistentVolumeClaims().inNamespace(namespace).list().getItems().isEmpty());

    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withName("lives")
            .withNamespace(namespace)
            .addToLabels(ObjectLabels.INSTALLATION, installation.label())
            .withFinalizers(ObjectLabels.TRACKING)
            .endMetadata()
            .withSpec(spec())
            .build();
    admin.resource(pod).create();
    upkeep.look(fairlead);
    assertThat(leaving()).isFalse();
    assertThat(upkeep.unremoved()).contains("it has pods");
    admin
        .resource(pod)
        .edit(p -> {
          p.getMetadata().setFinalizers(List.of());
          return p;
        });
    admin.resource(pod).withGracePeriod(0).delete();
    eventually(
        "the pod is gone", () -> admin.pods().inNamespace(namespace).list().getItems().isEmpty());

    upkeep.look(fairlead);

    assertThat(leaving()).isTrue();
    eventually("the namespace is gone", () -> there() == null);
    upkeep.look(fairlead);
    assertThat(upkeep.unremoved()).isEmpty();
  }

  /** Fails when a namespace that its cluster cannot remove is held without a word. */
  @Test
  void aFinalizerThatHoldsItIsNamedAfterTenMinutes() {
    mayRemove();
    KubernetesClient admin = cluster.admin();
    ConfigMap held =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName("held")
            .withNamespace(namespace)
            .withFinalizers("example.com/held")
            .endMetadata()
            .build();
    admin.resource(held).create();
    upkeep.look(fairlead);
    assertThat(leaving()).isTrue();
    upkeep.look(fairlead);
    assertThat(upkeep.unremoved()).as("it may take a while").isEmpty();

    InstantSource later = InstantSource.offset(InstantSource.system(), Duration.ofMinutes(11));
    Upkeep patient = new Upkeep(installation, calls, namespaces, walls, Set::of, later);
    eventually(
        "what holds it is named",
        () -> {
          patient.look(fairlead);
          return patient.unremoved().contains("example.com/held");
        });
    assertThat(patient.unremoved()).contains(namespace, "more than 10 minutes");
    admin
        .resource(held)
        .edit(c -> {
          c.getMetadata().setFinalizers(List.of());
          return c;
        });
    eventually("the namespace is gone", () -> there() == null);
  }

  /** Fails when the policy lets Fairlead's identity remove more than namespaces of projects. */
  @Test
  void aNamespaceThatIsNoProjectsIsNotRemoved() {
    mayRemove();
    cluster
        .admin()
        .namespaces()
        .withName(namespace)
        .edit(n -> {
          n.getMetadata().getLabels().remove(ObjectLabels.INSTALLATION);
          return n;
        });

    assertThatThrownBy(() -> fairlead.namespaces().withName(namespace).delete())
        .hasMessageContaining("removes namespaces of projects only");
    assertThat(leaving()).isFalse();
  }
}
