package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.TermClaim;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import dev.fairlead.work.workload.kubernetes.namespace.TermFence;
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

/** The cluster itself shuts out a deposed supervisor, whatever that one believes. */
@OnControlPlane
class FenceIT {
  private static final long TERM = (1L << 32) + 7;
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
    RealCluster.fenced(gateway, TERM);
    RealCluster.eventually("the cluster has read our term", this::known);
  }

  /** What it has not read yet it refuses, which the probe takes for a fence that is there. */
  private boolean known() {
    try {
      cluster.admin().resource(objects(TERM).getFirst()).dryRun().create();
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
  void createsOfAnOlderTermAreRefusedByTheClusterAndTheReportSaysSo() {
    assertThat(gateway.capabilities().fence()).isEqualTo(Capabilities.Fence.ENFORCED);
    for (HasMetadata object : objects(TERM - 1)) {
      // Without the policy of deploy/cluster.yaml the administrator's create goes through.
      assertThatThrownBy(() -> cluster.admin().resource(object).create())
          .as(object.getKind())
          .hasMessageContaining("'fairlead-fence'")
          .hasMessageContaining("older");
    }
    for (HasMetadata object : objects(TERM)) {
      cluster.admin().resource(object).dryRun().create();
    }
  }

  @Test
  void whatAnUnknownInstallationCreatesIsRefused() {
    ConfigMap object = (ConfigMap) objects(TERM).getFirst();
    object.getMetadata().getLabels().put(ObjectLabels.INSTALLATION, "nobody");
    assertThatThrownBy(() -> cluster.admin().resource(object).create())
        .hasMessageContaining("'fairlead-fence'");
  }

  @Test
  void nobodyLowersATermOrTakesItAway() {
    for (String patch :
        List.of(
            "{\"data\":{\"%s\":\"%d\"}}".formatted(installation.label(), TERM - 1),
            "{\"data\":{\"%s\":null}}".formatted(installation.label()),
            "{\"data\":null}")) {
      assertThatThrownBy(() -> fence().patch(PatchContext.of(PatchType.JSON_MERGE), patch))
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining("only rise");
    }
    assertThatThrownBy(() -> fence().delete()).hasMessageContaining("only rise");
    assertThat(gateway.claim(TERM, 0)).isEqualTo(TermClaim.OURS);
  }

  @Test
  void aSupervisorLearnsOfTheOneThatTookOverAndOthersKeepTheirTerms() {
    Installation other = new Installation(UUID.randomUUID(), 1);
    ClusterGateway neighbour = RealCluster.synced(other, cluster);
    ClusterGateway successor = RealCluster.synced(installation, cluster);
    try {
      RealCluster.eventually("both act", () -> neighbour.claim(3, 0).equals(TermClaim.OURS));
      RealCluster.eventually("it took over", () -> successor.claim(TERM + 1, 0) == TermClaim.OURS);
      RealCluster.eventually(
          "the deposed one learns it",
          () -> gateway.claim(TERM, 0).equals(new TermClaim.Higher(TERM + 1)));
      assertThat(neighbour.claim(3, 0)).isEqualTo(TermClaim.OURS);
    } finally {
      neighbour.close();
      successor.close();
    }
  }

  /** Fails when the cluster lets a stranger change the labels by which Fairlead finds its pods. */
  @Test
  void labelsOfFairleadAreChangedByItAlone() {
    ConfigMap anchor = (ConfigMap) objects(TERM).getFirst();
    anchor.getMetadata().setName("fairlead-labels-test");
    Resource<ConfigMap> made = cluster.admin().resource(anchor);
    made.create();
    try {
      for (String label : List.of(ObjectLabels.INSTALLATION, ObjectLabels.ATTEMPT)) {
        for (String value : List.of("\"another\"", "null")) {
          // Without the policy of deploy/cluster.yaml the administrator's patch goes through.
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
    return cluster.admin().configMaps().inNamespace(Namespaces.SYSTEM).withName(TermFence.NAME);
  }

  /** One of each kind that an attempt has, in a namespace that is there. */
  private List<HasMetadata> objects(long term) {
    List<HasMetadata> objects = ManifestFactoryTest.Kind.GANG.objects();
    for (HasMetadata object : objects) {
      object.getMetadata().setNamespace(Namespaces.SYSTEM);
      object.getMetadata().setUid(null);
      object.getMetadata().setOwnerReferences(List.of());
      object.getMetadata().getLabels().put(ObjectLabels.INSTALLATION, installation.label());
      object.getMetadata().getLabels().put(ObjectLabels.TERM, Long.toString(term));
    }
    return objects;
  }
}
