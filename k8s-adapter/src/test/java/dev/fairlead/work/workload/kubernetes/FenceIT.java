package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.kubernetes.namespace.EpochFence;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import dev.fairlead.work.workload.kubernetes.pod.ManifestFactoryTest;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The cluster itself refuses writes of a deposed supervisor. */
@OnControlPlane
class FenceIT {
  private static final long EPOCH = (1L << 32) + 7;
  private final Installation installation =
      new Installation(
          new UUID(ThreadLocalRandom.current().nextLong(), ThreadLocalRandom.current().nextLong()),
          1);
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private TestCluster cluster;
  private ClusterGateway gateway;

  @BeforeEach
  void claim() {
    cluster = KubernetesCluster.shared();
    gateway = RealCluster.synced(installation, cluster);
    RealCluster.fenced(gateway, EPOCH);
    RealCluster.eventually("the cluster has read our epoch", this::known);
  }

  /**
   * The server rejects epochs that it has not read yet, which the probe mistakes for an existing
   * fence.
   */
  private boolean known() {
    try {
      cluster.admin().resource(objects(EPOCH).getFirst()).dryRun().create();
      return true;
    } catch (KubernetesClientException refused) {
      return false;
    }
  }

  @AfterEach
  void close() {
    gateway.close();
  }

  @Test
  void clusterRejectsCreatesOfAnOlderEpochAndReportsIt() {
    assertThat(gateway.capabilities().fence()).isEqualTo(Capabilities.Fence.ENFORCED);
    for (HasMetadata object : objects(EPOCH - 1)) {
      // Without the policy of deploy/cluster.yaml the administrator's create succeeds.
      assertThatThrownBy(() -> cluster.admin().resource(object).create())
          .as(object.getKind())
          .hasMessageContaining("'fairlead-fence'")
          .hasMessageContaining("older");
    }
    for (HasMetadata object : objects(EPOCH)) {
      cluster.admin().resource(object).dryRun().create();
    }
  }

  @Test
  void createByAnUnknownInstallationIsRejected() {
    ConfigMap object = (ConfigMap) objects(EPOCH).getFirst();
    object.getMetadata().getLabels().put(ObjectLabels.INSTALLATION, "nobody");
    assertThatThrownBy(() -> cluster.admin().resource(object).create())
        .hasMessageContaining("'fairlead-fence'");
  }

  @Test
  void epochCanNeitherBeLoweredNorRemoved() {
    for (String patch :
        List.of(
            "{\"data\":{\"%s\":\"%d\"}}".formatted(installation.label(), EPOCH - 1),
            "{\"data\":{\"%s\":null}}".formatted(installation.label()),
            "{\"data\":null}")) {
      assertThatThrownBy(() -> fence().patch(PatchContext.of(PatchType.JSON_MERGE), patch))
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining("may only increase");
    }
    assertThatThrownBy(() -> fence().delete()).hasMessageContaining("may only increase");
    assertThat(gateway.claim(EPOCH, 0)).isEqualTo(EpochClaim.OURS);
  }

  @Test
  void supervisorDetectsItsSuccessorAndOthersKeepTheirEpochs() {
    Installation other = new Installation(UUID.randomUUID(), 1);
    ClusterGateway neighbour = RealCluster.synced(other, cluster);
    ClusterGateway successor = RealCluster.synced(installation, cluster);
    try {
      RealCluster.eventually("both act", () -> neighbour.claim(3, 0).equals(EpochClaim.OURS));
      RealCluster.eventually(
          "it took over", () -> successor.claim(EPOCH + 1, 0) == EpochClaim.OURS);
      RealCluster.eventually(
          "the deposed one learns it",
          () -> gateway.claim(EPOCH, 0).equals(new EpochClaim.Higher(EPOCH + 1)));
      assertThat(neighbour.claim(3, 0)).isEqualTo(EpochClaim.OURS);
    } finally {
      neighbour.close();
      successor.close();
    }
  }

  /**
   * Fails when the cluster permits other users to change the labels by which Fairlead finds its
   * pods.
   */
  @Test
  void fairleadLabelsAreWritableByFairleadOnly() {
    ConfigMap anchor = (ConfigMap) objects(EPOCH).getFirst();
    anchor.getMetadata().setName("fairlead-labels-test");
    Resource<ConfigMap> made = cluster.admin().resource(anchor);
    made.create();
    try {
      for (String label : List.of(ObjectLabels.INSTALLATION, ObjectLabels.ATTEMPT)) {
        for (String value : List.of("\"another\"", "null")) {
          // Without the policy of deploy/cluster.yaml the administrator's patch succeeds.
          assertThatThrownBy(() -> made.patch(MERGE, labels(label, value)))
              .hasMessageContaining("'fairlead-labels'");
        }
      }
      made.patch(MERGE, labels("their", "\"own\""));
      assertThat(made.get().getMetadata().getLabels()).containsEntry("their", "own");
    } finally {
      made.delete();
    }
  }

  private static String labels(String label, String value) {
    return "{\"metadata\":{\"labels\":{\"%s\":%s}}}".formatted(label, value);
  }

  private Resource<ConfigMap> fence() {
    return cluster.admin().configMaps().inNamespace(Namespaces.SYSTEM).withName(EpochFence.NAME);
  }

  /** One object of each kind of an attempt, in an existing namespace. */
  private List<HasMetadata> objects(long epoch) {
    List<HasMetadata> objects = ManifestFactoryTest.Kind.GANG.objects();
    for (HasMetadata object : objects) {
      object.getMetadata().setNamespace(Namespaces.SYSTEM);
      object.getMetadata().setUid(null);
      object.getMetadata().setOwnerReferences(List.of());
      object.getMetadata().getLabels().put(ObjectLabels.INSTALLATION, installation.label());
      object.getMetadata().getLabels().put(ObjectLabels.EPOCH, Long.toString(epoch));
    }
    return objects;
  }
}
