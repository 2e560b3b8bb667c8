package dev.fairlead.work.workload.kubernetes.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.connection.ClusterRight;
import dev.fairlead.fleet.cluster.connection.PodGroupApi;
import dev.fairlead.work.workload.kubernetes.KubernetesCluster;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.RealCluster;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Missing permissions are named by verb, as reported by a real API server. */
@OnControlPlane
class RightsIT {
  private static final String GROUP_RIGHTS = "deploy/cluster-pod-group.yaml";
  private static final String POD_GROUPS =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: podgroups.scheduling.volcano.sh}
      spec:
        group: scheduling.volcano.sh
        names: {kind: PodGroup, plural: podgroups}
        scope: Namespaced
        versions:
        - name: v1beta1
          served: true
          storage: true
          schema: {openAPIV3Schema: {type: object}}
      """;

  private final TestCluster cluster = KubernetesCluster.shared();
  private final ClusterCalls calls =
      new ClusterGates(CallLimits.DEFAULT, Duration.ofSeconds(10), null).open("rights");

  @AfterEach
  void close() {
    calls.close();
  }

  private List<ClusterRight> missing(Config identity) {
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(identity).build()) {
      return Rights.lacking(client, calls).map(ClusterRight::missing).orElse(List.of());
    }
  }

  private Config user(String name) {
    return new ConfigBuilder(Config.fromKubeconfig(cluster.administratorsKubeconfig()))
        .withImpersonateUsername(name)
        .withImpersonateGroups("system:authenticated")
        .build();
  }

  /** Fails when the doctor requires a right that the manifest does not grant. */
  @Test
  void manifestGrantsAllRequiredRights() {
    assertThat(missing(Config.fromKubeconfig(cluster.kubeconfig()))).isEmpty();
  }

  /**
   * Fails when a process reuses results of an older version, or does not report the rights that it
   * checked.
   */
  @Test
  void processChecksAgainByTheListOfItsVersion() {
    Config identity = Config.fromKubeconfig(cluster.kubeconfig());
    ClusterOfferings survey =
        new ClusterOfferings(calls, ClusterSettings.DEFAULT, System::nanoTime);
    assertThat(survey.findings().rightsAsked()).isNull();
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(identity).build()) {
      survey.refresh(client);
    }
    assertThat(survey.findings().rightsAsked()).isEqualTo(ClusterRight.LIST);
    assertThat(survey.findings().reasons()).doesNotContainKey("rights");
  }

  /** Fails when a right that Fairlead uses is not checked. */
  @Test
  void identityWithoutRightsLacksEachRightOfTheManifest() {
    List<ClusterRight> granted = new ArrayList<>();
    for (PolicyRule rule : role().getRules()) {
      for (String resource : rule.getResources()) {
        rule.getVerbs().stream()
            .map(verb -> new ClusterRight(rule.getApiGroups().getFirst(), resource, verb))
            .forEach(granted::add);
      }
    }
    granted.add(ClusterRight.RAISE_EPOCHS);
    assertThat(missing(user("without-rights"))).containsExactlyInAnyOrderElementsOf(granted);
  }

  /** Fails when a right is taken for granted since another verb of its resource is. */
  @Test
  void onlyTheRevokedVerbIsReported() {
    ClusterRole less = new ClusterRoleBuilder(role()).build();
    less.getMetadata().setName("fairlead-less");
    less.getMetadata().setResourceVersion(null);
    less.getMetadata().setUid(null);
    less.getMetadata().setManagedFields(List.of());
    less.getRules().stream()
        .filter(rule -> rule.getResources().contains("pods"))
        .forEach(rule -> rule.setVerbs(without(rule.getVerbs(), "delete")));
    var binding =
        new ClusterRoleBindingBuilder()
            .withNewMetadata()
            .withName("fairlead-less")
            .endMetadata()
            .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "fairlead-less")
            .addNewSubject("rbac.authorization.k8s.io", "User", "less", null)
            .build();
    cluster.admin().resource(less).create();
    cluster.admin().resource(binding).create();
    try {
      ClusterRight delete = new ClusterRight("", "pods", "delete");
      RealCluster.eventually(
          "the right is missed",
          () -> missing(user("less")).equals(List.of(delete, ClusterRight.RAISE_EPOCHS)));
    } finally {
      cluster.admin().resource(binding).delete();
      cluster.admin().resource(less).delete();
    }
  }

  /** Fails when the first cluster-volumes.yaml counts as the current one. */
  @Test
  void rightToReadVolumesIsReportedMissingWhereClaimsAreCreated() {
    ClusterRole first =
        new ClusterRoleBuilder()
            .withNewMetadata()
            .withName("volumes-first")
            .endMetadata()
            .addNewRule()
            .withApiGroups("")
            .withResources("persistentvolumeclaims")
            .withVerbs("create")
            .endRule()
            .build();
    var binding =
        new ClusterRoleBindingBuilder()
            .withNewMetadata()
            .withName("volumes-first")
            .endMetadata()
            .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "volumes-first")
            .addNewSubject("rbac.authorization.k8s.io", "User", "makes-claims", null)
            .build();
    assertThat(toReach("makes-claims")).as("no volumes are made there").isEmpty();
    cluster.admin().resource(first).create();
    cluster.admin().resource(binding).create();
    try {
      RealCluster.eventually(
          "the right is missed",
          () -> toReach("makes-claims").equals(Optional.of("may not get persistentvolumes")));
    } finally {
      cluster.admin().resource(binding).delete();
      cluster.admin().resource(first).delete();
    }
  }

  /** Fails when the kind or a right is first missed by a launch, or missed after it was added. */
  @Test
  void backendReportsItsMissingPodGroupsAndThenItsMissingRights() {
    AtomicLong nanos = new AtomicLong();
    PodGroupProbe probe = probe(nanos);
    String lacks =
        "Fairlead may not get podgroups.scheduling.volcano.sh, create podgroups.scheduling.volcano.sh, patch podgroups.scheduling.volcano.sh, which deploy/cluster-pod-group.yaml grants. Apply that file to the cluster";
    try (KubernetesClient client =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(cluster.kubeconfig()))
            .build()) {
      assertThat(after(0, nanos, probe, client))
          .contains("no kind PodGroup of scheduling.volcano.sh/v1beta1", "helm install volcano");

      cluster.apply(POD_GROUPS);
      RealCluster.eventually("the kind is served", () -> lacks.equals(first(client)));
      assertThat(after(4, nanos, probe, client)).as("not due yet").contains("no kind PodGroup");
      assertThat(after(1, nanos, probe, client)).isEqualTo(lacks);

      cluster.applies(GROUP_RIGHTS);
      RealCluster.eventually("all is granted", () -> first(client) == null);
      assertThat(after(5, nanos, probe, client)).isNull();
    } finally {
      cluster.withdraws(GROUP_RIGHTS);
      cluster.kubectl("delete", "crd", "podgroups.scheduling.volcano.sh");
    }
  }

  private PodGroupProbe probe(AtomicLong nanos) {
    return new PodGroupProbe(
        calls, PodGroupApi.named("scheduling.volcano.sh/v1beta1").orElseThrow(), nanos::get);
  }

  /** Result of the first check of a probe. */
  private @Nullable String first(KubernetesClient client) {
    AtomicLong nanos = new AtomicLong();
    return after(0, nanos, probe(nanos), client);
  }

  private static @Nullable String after(
      int seconds, AtomicLong nanos, PodGroupProbe probe, KubernetesClient client) {
    nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
    probe.refresh(client);
    return probe.trouble();
  }

  private Optional<String> toReach(String name) {
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(user(name)).build()) {
      return Rights.toReach(client, calls);
    }
  }

  private ClusterRole role() {
    return cluster.admin().rbac().clusterRoles().withName("fairlead").get();
  }

  private static List<String> without(List<String> verbs, String verb) {
    return verbs.stream().filter(each -> !each.equals(verb)).toList();
  }
}
