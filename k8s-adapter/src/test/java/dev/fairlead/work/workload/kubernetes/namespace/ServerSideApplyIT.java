package dev.fairlead.work.workload.kubernetes.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.workload.kubernetes.KubernetesCluster;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LimitRange;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Fields that others write into Fairlead's objects, on a real API server. */
@OnControlPlane
class ServerSideApplyIT {
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private final TestCluster cluster = KubernetesCluster.shared();
  private final Installation installation = new Installation(new UUID(random(), random()), 1);
  private final String namespace = "fairlead-" + installation.label();
  private final ClusterCalls calls =
      new ClusterGates(CallLimits.DEFAULT, Duration.ofSeconds(10), null).open("apply");
  private final NamespaceIsolation isolation =
      new NamespaceIsolation(installation, calls, System::nanoTime);
  private final Namespaces namespaces =
      new Namespaces(installation, calls, isolation, System::nanoTime);
  private final NamespaceReconciler reconciler =
      new NamespaceReconciler(installation, calls, namespaces, isolation, Set::of);
  private final ServerSideApply apply = new ServerSideApply(calls);
  private final KubernetesClient fairlead =
      new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(cluster.kubeconfig())).build();

  @BeforeEach
  void createNamespace() {
    isolation.plans().all(List.of());
    ProjectId project = new ProjectId(new UUID(random(), random()));
    assertThat(namespaces.ensure(fairlead, namespace, project)).isNull();
    reconciler.look(fairlead);
    assertThat(isolation.trouble()).isEmpty();
  }

  @AfterEach
  void close() {
    fairlead.close();
    calls.close();
  }

  /** Fails when a list that Fairlead leaves empty keeps the rules of others. */
  @Test
  void ruleThatOthersAddToAnEmptyListIsRemoved() {
    Resource<NetworkPolicy> policy = policy(Isolation.ALONE);
    NetworkPolicy made = policy.get();
    assertThat(managers(made)).containsExactly(ServerSideApply.MANAGER);

    policy.patch(MERGE, "{\"spec\":{\"ingress\":[{}]}}");
    reconciler.look(fairlead);
    assertThat(policy.get().getSpec()).isEqualTo(made.getSpec());
  }

  /** Fails when an added label in a selector makes a policy match no pod. */
  @Test
  void selectorThatOthersNarrowIsRestored() {
    Resource<NetworkPolicy> policy = policy(Isolation.EGRESS);
    NetworkPolicy made = policy.get();

    policy.patch(MERGE, "{\"spec\":{\"podSelector\":{\"matchLabels\":{\"no\":\"pod\"}}}}");
    reconciler.look(fairlead);
    assertThat(policy.get().getSpec()).isEqualTo(made.getSpec());
  }

  /** Fails when labels of others are removed, or cause a write in each pass. */
  @Test
  void labelsOfOthersRemainWithoutAWrite() {
    Resource<NetworkPolicy> policy = policy(Isolation.ALONE);
    NetworkPolicy labelled = policy.patch(MERGE, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    reconciler.look(fairlead);
    assertThat(policy.get()).isEqualTo(labelled);
  }

  /** Fails when a label that hides a policy from the list of a pass causes a write in each pass. */
  @Test
  void labelThatHidesAPolicyIsRemoved() {
    Resource<NetworkPolicy> policy = policy(Isolation.ALONE);
    NetworkPolicy _ =
        policy.patch(
            MERGE, "{\"metadata\":{\"labels\":{\"%s\":\"a\"}}}".formatted(ObjectLabels.ATTEMPT));
    reconciler.look(fairlead);
    NetworkPolicy restored = policy.get();
    assertThat(restored.getMetadata().getLabels()).doesNotContainKey(ObjectLabels.ATTEMPT);

    reconciler.look(fairlead);
    assertThat(policy.get()).isEqualTo(restored);
  }

  /** Fails when an amount that others limit survives, which could block every launch. */
  @Test
  void amountThatOthersLimitIsRemovedFromTheQuota() {
    Resource<ResourceQuota> quota =
        cluster.admin().resourceQuotas().inNamespace(namespace).withName(NamespaceQuotas.NAME);
    quota.patch(MERGE, "{\"spec\":{\"hard\":{\"count/secrets\":\"0\"}}}");
    reconciler.look(fairlead);
    assertThat(quota.get().getSpec().getHard())
        .containsOnlyKeys(
            ResourceQuotaAmounts.PODS,
            ResourceQuotaAmounts.GPUS,
            ResourceQuotaAmounts.CPU,
            ResourceQuotaAmounts.MEMORY);
  }

  /** Fails when a finalizer retains the deleted quota with amounts that other parties added. */
  @Test
  void foreignFinalizerDoesNotRetainForeignAmounts() {
    Resource<ResourceQuota> quota =
        cluster.admin().resourceQuotas().inNamespace(namespace).withName(NamespaceQuotas.NAME);
    quota.patch(
        MERGE,
        "{\"metadata\":{\"finalizers\":[\"example.com/other\"]},"
            + "\"spec\":{\"hard\":{\"count/secrets\":\"0\"}}}");
    reconciler.look(fairlead);
    assertThat(quota.get().getSpec().getHard()).doesNotContainKey("count/secrets");
  }

  /** Fails when a check lowers a quota that a launch has raised since the check listed it. */
  @Test
  void checkWritesOnlyTheQuotaThatItListed() {
    Resource<ResourceQuota> quota =
        cluster.admin().resourceQuotas().inNamespace(namespace).withName(NamespaceQuotas.NAME);
    ResourceQuota listed = quota.get();
    ResourceQuota raised = quota.patch(MERGE, "{\"spec\":{\"hard\":{\"pods\":\"5000\"}}}");

    assertThat(isolation.quotas().keep(fairlead, namespace, listed, Set.of("pods"))).isNull();
    assertThat(quota.get().getSpec()).isEqualTo(raised.getSpec());
  }

  /** Fails when limits of others remain in the list that Fairlead owns. */
  @Test
  void limitsOfOthersAreRemoved() {
    Resource<LimitRange> limits =
        cluster.admin().limitRanges().inNamespace(namespace).withName(ContainerDefaults.NAME);
    LimitRange made = limits.get();
    limits.patch(MERGE, "{\"spec\":{\"limits\":[{\"type\":\"Pod\",\"max\":{\"cpu\":\"1m\"}}]}}");
    reconciler.look(fairlead);
    assertThat(limits.get().getSpec()).isEqualTo(made.getSpec());
  }

  /** Fails when a repair of the account removes additions of others. */
  @Test
  void imagePullSecretsOfOthersRemain() {
    Resource<ServiceAccount> account =
        cluster
            .admin()
            .serviceAccounts()
            .inNamespace(namespace)
            .withName(Namespaces.SERVICE_ACCOUNT);
    account.patch(
        MERGE,
        "{\"automountServiceAccountToken\":true,\"imagePullSecrets\":[{\"name\":\"registry\"}]}");
    assertThat(namespaces.keepAccount(fairlead, namespace)).isNull();
    assertThat(account.get().getAutomountServiceAccountToken()).isFalse();
    assertThat(account.get().getImagePullSecrets()).hasSize(1);
  }

  /** Fails when two installations take the account of the shared namespace from each other. */
  @Test
  void sharedAccountRetainsTheLabelOfItsInstallation() {
    Installation other = new Installation(new UUID(random(), random()), 1);
    new Namespaces(
            other, calls, new NamespaceIsolation(other, calls, System::nanoTime), System::nanoTime)
        .ensureSystem(fairlead);
    Resource<ServiceAccount> account =
        cluster
            .admin()
            .serviceAccounts()
            .inNamespace(Namespaces.SYSTEM)
            .withName(Namespaces.SERVICE_ACCOUNT);
    Map<String, String> labels = account.get().getMetadata().getLabels();
    account.patch(MERGE, "{\"automountServiceAccountToken\":true}");
    assertThat(namespaces.keepAccount(fairlead, Namespaces.SYSTEM)).isNull();
    assertThat(account.get().getAutomountServiceAccountToken()).isFalse();
    assertThat(account.get().getMetadata().getLabels()).isEqualTo(labels);
  }

  /** Fails when a repair of labels removes the mark of the creation, or labels of others. */
  @Test
  void restoredLabelsRetainTheMarkOfTheCreation() {
    Resource<Namespace> resource = cluster.admin().namespaces().withName(namespace);
    Namespace made = resource.get();
    resource.patch(
        MERGE,
        "{\"metadata\":{\"labels\":{\"a\":\"b\",\"%s\":null}}}"
            .formatted(ObjectLabels.INSTALLATION));
    assertThat(isolation.label(fairlead, resource.get(), namespaces.labels())).isNull();

    Namespace now = resource.get();
    assertThat(now.getMetadata().getAnnotations()).isEqualTo(made.getMetadata().getAnnotations());
    assertThat(now.getMetadata().getLabels())
        .containsAllEntriesOf(made.getMetadata().getLabels())
        .containsEntry("a", "b");
  }

  /** Fails when a namespace that was deleted before the repair is created again. */
  @Test
  void deletedNamespaceIsNotCreatedByARepairOfItsLabels() {
    String gone = namespace + "-gone";
    Namespace there =
        new NamespaceBuilder()
            .withNewMetadata()
            .withName(gone)
            .withUid(UUID.randomUUID().toString())
            .endMetadata()
            .build();
    assertThat(isolation.label(fairlead, there, namespaces.labels())).isNull();
    assertThat(cluster.admin().namespaces().withName(gone).get()).isNull();
  }

  /** Fails when an apply of some labels removes a label or the selector of an earlier apply. */
  @Test
  void laterRepairRetainsTheLabelsOfAnEarlierOne() {
    NetworkPolicy policy = policy(Isolation.ALONE).get();
    Map<String, String> all = Map.of(ObjectLabels.JOB, "j", ObjectLabels.ROLE, "r");
    NetworkPolicy labelled = apply.label(fairlead, policy, all);
    NetworkPolicy again = apply.label(fairlead, labelled, Map.of(ObjectLabels.ROLE, "s"));
    assertThat(again.getMetadata().getLabels())
        .containsAllEntriesOf(ObjectLabels.of(installation))
        .containsEntry(ObjectLabels.JOB, "j")
        .containsEntry(ObjectLabels.ROLE, "s");
    assertThat(again.getSpec()).isEqualTo(policy.getSpec());
  }

  private Resource<NetworkPolicy> policy(String name) {
    return cluster.admin().network().v1().networkPolicies().inNamespace(namespace).withName(name);
  }

  private static List<String> managers(HasMetadata object) {
    return object.getMetadata().getManagedFields().stream()
        .map(entry -> entry.getManager())
        .toList();
  }

  private static long random() {
    return ThreadLocalRandom.current().nextLong();
  }
}
