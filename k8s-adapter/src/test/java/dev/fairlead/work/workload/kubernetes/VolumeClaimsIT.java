package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.work.workload.kubernetes.RealCluster.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.ClusterVolumesContract;
import dev.fairlead.work.workload.VolumeOutcome;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims of volumes on a real control plane, by the rights of {@code cluster-volumes.yaml}. */
@OnControlPlane
class VolumeClaimsIT extends ClusterVolumesContract {
  private static final Path FILE = Path.of("..", "deploy", "cluster-volumes.yaml");
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  /** A disk of a zone, for this claim. */
  private static final String DISK =
      """
      apiVersion: v1
      kind: PersistentVolume
      metadata: {name: %s}
      spec:
        capacity: {storage: 1Gi}
        accessModes: [ReadWriteOnce]
        persistentVolumeReclaimPolicy: Retain
        hostPath: {path: /nowhere}
        claimRef: {apiVersion: v1, kind: PersistentVolumeClaim, namespace: %s, name: %s}
        nodeAffinity:
          required:
            nodeSelectorTerms:
            - matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}]
      """;

  /** The right of the file, for this disk alone: no binding in a namespace gives it. */
  private static final String MAY_READ =
      """
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRole
      metadata: {name: "%1$s"}
      rules:
      - {apiGroups: [""], resources: [persistentvolumes], verbs: [get], resourceNames: ["%1$s"]}
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRoleBinding
      metadata: {name: "%1$s"}
      roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "%1$s"}
      subjects:
      - {kind: ServiceAccount, name: fairlead, namespace: fairlead-system}
      """;

  private final Installation installation = new Installation(new UUID(random(), random()), 1);
  private final SeededIds ids = new SeededIds(random());
  private TestCluster cluster;
  private KubernetesClient admin;
  private ClusterGateway gateway;

  private static long random() {
    return ThreadLocalRandom.current().nextLong();
  }

  /** A permission in this namespace only, because other tests check Fairlead's permissions. */
  @BeforeEach
  void rights() throws IOException {
    cluster = KubernetesCluster.shared();
    admin = cluster.admin();
    gateway = RealCluster.synced(installation, cluster);
    RealCluster.fenced(gateway, EPOCH);
    VolumeOutcome without = provide(placed(ids.next(), "early"));
    assertThat(without.toString()).contains("NOT_NOW", "cluster-volumes.yaml");
    try (InputStream manifest = Files.newInputStream(FILE)) {
      for (HasMetadata object : admin.load(manifest).items()) {
        if (!(object instanceof ClusterRoleBinding)) {
          admin.resource(object).serverSideApply();
        }
      }
    }
    admin
        .resource(
            new RoleBindingBuilder()
                .withNewMetadata()
                .withName("volumes")
                .withNamespace(namespace())
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "fairlead-volumes")
                .addNewSubject("", "ServiceAccount", "fairlead", Namespaces.SYSTEM)
                .build())
        .serverSideApply();
    Volume probe = placed(ids.next(), "probe");
    eventually("the right is there", () -> provide(probe) instanceof VolumeOutcome.There);
  }

  @AfterEach
  void close() {
    gateway.close();
  }

  @Override
  protected ClusterGateway gateway() {
    return gateway;
  }

  @Override
  protected Installation installation() {
    return installation;
  }

  @Override
  protected IdSource ids() {
    return ids;
  }

  @Override
  protected String projectName() {
    return installation.label();
  }

  private PersistentVolumeClaim claim(String name) {
    return admin.persistentVolumeClaims().inNamespace(namespace()).withName(name).get();
  }

  @Override
  protected void deletes(String namespace, String claim) {
    admin.persistentVolumeClaims().inNamespace(namespace).withName(claim).delete();
  }

  @Override
  protected void replaces(String namespace, String name) {
    deletes(namespace, name);
    try {
      admin
          .persistentVolumeClaims()
          .inNamespace(namespace)
          .withName(name)
          .patch(MERGE, "{\"metadata\":{\"finalizers\":null}}");
    } catch (KubernetesClientException late) {
      assertThat(late.getCode()).as("the cluster's controller was faster").isEqualTo(404);
    }
    eventually("it is gone", () -> claim(name) == null);
    admin
        .resource(
            new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteOnce")
                .withNewResources()
                .addToRequests("storage", new Quantity("1Gi"))
                .endResources()
                .endSpec()
                .build())
        .create();
  }

  @Test
  void claimHasItsOwnerAndItsRequestAsLabels() {
    Volume volume = made("asked");

    PersistentVolumeClaim claim = claim(volume.claimName());

    assertThat(claim.getMetadata().getUid()).isEqualTo(volume.claimUid());
    assertThat(claim.getMetadata().getLabels())
        .containsEntry("fairlead.dev/volume", volume.id().toString())
        .containsEntry("fairlead.dev/tenant", volume.tenant().bare())
        .containsEntry("fairlead.dev/project", volume.project().bare())
        .containsEntry("fairlead.dev/installation", installation.label());
    assertThat(claim.getSpec().getAccessModes()).isEqualTo(List.of("ReadWriteOnce"));
    assertThat(claim.getSpec().getResources().getRequests().get("storage"))
        .isEqualTo(new Quantity("1Gi"));
    assertThat(claim.getMetadata().getOwnerReferences()).as("it outlives jobs").isEmpty();
  }

  /**
   * Fails when the disk of a bound claim is not checked, or a missing permission blocks its volume.
   */
  @Test
  void nodesOfABoundClaimAreReadIfPermitted() {
    Volume volume = made("zonal");
    String disk = "disk-" + volume.id();
    admin.load(text(DISK.formatted(disk, namespace(), volume.claimName()))).create();
    VolumeOutcome.There[] last = new VolumeOutcome.There[1];
    eventually("it is bound", () -> look(volume, last).bound());
    assertThat(last[0].nodeLabels()).isEmpty();
    assertThat(last[0].message()).contains("an operator grants", "fairlead doctor (volumes)");

    admin.load(text(MAY_READ.formatted(disk))).create();
    try {
      eventually("the right is there", () -> !look(volume, last).nodeLabels().isEmpty());
      assertThat(last[0].nodeLabels()).containsOnly(Map.entry("topology.kubernetes.io/zone", "a"));
      assertThat(last[0].message()).isNull();
    } finally {
      admin.load(text(MAY_READ.formatted(disk))).delete();
      eventually("the right is gone", () -> look(volume, last).message() != null);
    }
  }

  private VolumeOutcome.There look(Volume volume, VolumeOutcome.There[] last) {
    last[0] = (VolumeOutcome.There) provide(volume);
    return last[0];
  }

  private static InputStream text(String yaml) {
    return new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8));
  }

  /** A refusal by a quota of the cluster is final and not retried. */
  @Test
  void rejectionByTheClusterIsReportedVerbatim() {
    var quota =
        new ResourceQuotaBuilder()
            .withNewMetadata()
            .withName("no-storage")
            .withNamespace(namespace())
            .endMetadata()
            .withNewSpec()
            .addToHard("persistentvolumeclaims", new Quantity("0"))
            .endSpec()
            .build();
    admin.resource(quota).serverSideApply();

    VolumeOutcome[] last = new VolumeOutcome[1];
    eventually(
        "the quota holds",
        () -> {
          last[0] = provide(placed(ids.next(), "large"));
          return last[0] instanceof VolumeOutcome.Not;
        });

    assertThat(last[0])
        .isInstanceOfSatisfying(
            VolumeOutcome.Not.class,
            not ->
                assertThat(not.why())
                    .isInstanceOfSatisfying(
                        ActionOutcome.Refused.class,
                        refused -> assertThat(refused.message()).contains("no-storage")));
  }

  /** Fails without the policy of the file: a stolen identity could create claims of any kind. */
  @Test
  void identityCreatesNoOtherClaims() {
    PersistentVolumeClaim ours = claim(made("seed").claimName());
    refused(
        named(ours, "plain").editMetadata().withLabels(Map.of()).endMetadata(),
        "Fairlead may create only PersistentVolumeClaims of volumes");
  }

  /** Fails without that rule of the policy: a stolen identity mounts a disk with data of others. */
  @Test
  void identityClaimsNoExistingVolume() {
    PersistentVolumeClaim ours = claim(made("own").claimName());
    String why = "only PersistentVolumeClaims of new, empty volumes";
    refused(named(ours, "taken").editSpec().withVolumeName("theirs").endSpec(), why);
    refused(
        named(ours, "copy")
            .editSpec()
            .withNewDataSource(null, "PersistentVolumeClaim", "theirs")
            .endSpec(),
        why);
  }

  private PersistentVolumeClaimBuilder named(PersistentVolumeClaim like, String name) {
    return new PersistentVolumeClaimBuilder(like)
        .withNewMetadata()
        .withName(name)
        .withNamespace(namespace())
        .withLabels(like.getMetadata().getLabels())
        .endMetadata()
        .editSpec()
        .withVolumeName(null)
        .endSpec()
        .withStatus(null);
  }

  /** A policy is in force some time after it was applied. */
  private void refused(PersistentVolumeClaimBuilder claim, String why) {
    eventually(why, () -> denied(claim).contains(why));
  }

  private String denied(PersistentVolumeClaimBuilder claim) {
    try (KubernetesClient fairlead =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(cluster.kubeconfig()))
            .build()) {
      fairlead.resource(claim.build()).dryRun().create();
      return "";
    } catch (KubernetesClientException denied) {
      return String.valueOf(denied.getMessage());
    }
  }
}
