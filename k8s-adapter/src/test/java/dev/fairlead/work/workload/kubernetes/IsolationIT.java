package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.work.workload.kubernetes.RealCluster.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.IsolationFeature;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import dev.fairlead.work.workload.kubernetes.namespace.ClusterOfferings;
import dev.fairlead.work.workload.kubernetes.namespace.EpochFence;
import dev.fairlead.work.workload.kubernetes.namespace.FenceProbe;
import dev.fairlead.work.workload.kubernetes.namespace.Isolation;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceIsolation;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceReconciler;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contents of a project's namespace on a real API server, and the report about it. */
@OnControlPlane
class IsolationIT {
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private static final String ENFORCE = "pod-security.kubernetes.io/enforce";
  private static final String LESS = "fairlead-no-isolation";
  private static final String GPUS = "requests.nvidia.com/gpu";
  private static final String CPU = "requests.cpu";
  private static final String MEMORY = "requests.memory";
  private static final long EPOCH = 5;
  private final TestCluster cluster = KubernetesCluster.shared();
  private final Installation installation = new Installation(new UUID(random(), random()), 1);
  private final String namespace = "fairlead-" + installation.label();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final ClusterCalls calls =
      new ClusterGates(CallLimits.DEFAULT, Duration.ofSeconds(10), meters).open("isolation");
  private final NamespaceIsolation isolation =
      new NamespaceIsolation(installation, calls, System::nanoTime);
  private final Namespaces namespaces =
      new Namespaces(installation, calls, isolation, System::nanoTime);
  private final NamespaceReconciler upkeep =
      new NamespaceReconciler(installation, calls, namespaces, isolation, Set::of);
  private final KubernetesClient fairlead =
      new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(cluster.kubeconfig())).build();

  @BeforeEach
  void allProjectsAreAsUsual() {
    isolation.plans().all(List.of());
  }

  @AfterEach
  void close() {
    fairlead.close();
    calls.close();
  }

  /** Fails when foreign changes of a namespace persist, or it is written unnecessarily. */
  @Test
  void changedObjectsAreRestoredAndIntactOnesAreUntouched() {
    namespaces.ensureSystem(fairlead);
    assertThat(namespaces.ensure(fairlead, namespace, Orders.PROJECT)).isNull();
    upkeep.look(fairlead);
    List<NetworkPolicy> made = policies();
    assertThat(made)
        .extracting(policy -> policy.getMetadata().getName())
        .containsExactly(Isolation.ALONE, Isolation.EGRESS);
    assertThat(egress(made).toString()).contains("169.254.169.254/32", "fd00:ec2::254/128");
    assertThat(repairs()).as("the first creation does not count as a repair").isZero();
    upkeep.look(fairlead);
    assertThat(policies()).as("with the versions that they had").isEqualTo(made);

    label(ENFORCE, "\"privileged\"");
    label(ObjectLabels.INSTALLATION, "null");
    cluster.admin().resource(made.getFirst()).delete();
    cluster
        .admin()
        .resource(egress(made))
        .patch(MERGE, "{\"spec\":{\"egress\":[{}],\"ingress\":[{}]}}");
    upkeep.look(fairlead);

    assertThat(there().getMetadata().getLabels()).containsAllEntriesOf(namespaces.labels());
    assertThat(policies())
        .extracting(NetworkPolicy::getSpec)
        .isEqualTo(made.stream().map(NetworkPolicy::getSpec).toList());
    assertThat(repairs()).isEqualTo(3);
    assertThat(isolation.trouble()).isEmpty();
  }

  /** Fails when only a launch checks an account, or nothing checks the policy of a running gang. */
  @Test
  void accountAndPolicyOfARunningGangAreRestored() {
    assertThat(namespaces.ensure(fairlead, namespace, Orders.PROJECT)).isNull();
    raiseFence();
    AttemptId attempt = new AttemptId(new UUID(random(), random()));
    Pod member = member(attempt);
    cluster.admin().resource(member).create();
    var account =
        cluster
            .admin()
            .serviceAccounts()
            .inNamespace(namespace)
            .withName(Namespaces.SERVICE_ACCOUNT);
    account.patch(MERGE, "{\"automountServiceAccountToken\":true}");
    upkeep.acts(EPOCH);
    try {
      eventually(
          "the fence lets it be written",
          () -> {
            upkeep.look(fairlead);
            return policies().size() == 3;
          });
      assertThat(account.get().getAutomountServiceAccountToken()).isFalse();
      assertThat(repairs()).as("the policy was never there").isOne();
      NetworkPolicy closed = policies().getLast();
      assertThat(closed.getMetadata().getName()).isEqualTo(ObjectNames.attempt(attempt));
      assertThat(closed.getSpec())
          .isEqualTo(
              Isolation.gang(new ObjectMeta(), Map.of(ObjectLabels.ATTEMPT, attempt.bare()), null)
                  .getSpec());
      upkeep.look(fairlead);
      assertThat(policies().getLast()).as("left alone").isEqualTo(closed);

      cluster.admin().resource(closed).patch(MERGE, "{\"spec\":{\"ingress\":[{}]}}");
      upkeep.look(fairlead);
      assertThat(policies().getLast().getSpec()).isEqualTo(closed.getSpec());
    } finally {
      cluster.admin().resource(member).withGracePeriod(0).delete();
    }
  }

  /** The fence refuses writes of an unknown epoch. */
  private void raiseFence() {
    new EpochFence(
            installation,
            calls,
            namespaces,
            new FenceProbe(installation, calls, System::nanoTime),
            false,
            System::nanoTime)
        .claim(fairlead, EPOCH, 0);
  }

  private Pod member(AttemptId attempt) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("member")
        .withNamespace(namespace)
        .withLabels(ObjectLabels.of(installation, attempt, new MemberKey("worker", 0, 0)))
        .addToLabels(ObjectLabels.NETWORK, ObjectLabels.GANG)
        .endMetadata()
        .withNewSpec()
        .withServiceAccountName(Namespaces.SERVICE_ACCOUNT)
        .withNewSecurityContext()
        .withRunAsNonRoot(true)
        .withNewSeccompProfile(null, "RuntimeDefault")
        .endSecurityContext()
        .addNewContainer()
        .withName("main")
        .withImage("x")
        .withNewSecurityContext()
        .withAllowPrivilegeEscalation(false)
        .withNewCapabilities()
        .withDrop("ALL")
        .endCapabilities()
        .endSecurityContext()
        .endContainer()
        .endSpec()
        .build();
  }

  @Test
  void podWithMorePrivilegesIsRejectedAndTheReportConfirmsIt() {
    namespaces.ensure(fairlead, namespace, Orders.PROJECT);
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withName("more")
            .withNamespace(namespace)
            .endMetadata()
            .withNewSpec()
            .withServiceAccountName(Namespaces.SERVICE_ACCOUNT)
            .addNewContainer()
            .withName("main")
            .withImage("x")
            .withNewSecurityContext()
            .withPrivileged(true)
            .endSecurityContext()
            .endContainer()
            .endSpec()
            .build();
    assertThatThrownBy(() -> cluster.admin().resource(pod).create())
        .hasMessageContaining("violates PodSecurity \"restricted");
    upkeep.look(fairlead);
    assertThat(found().get(IsolationFeature.POD_SECURITY))
        .isEqualTo(IsolationFeature.enforced(IsolationFeature.POD_SECURITY));
    assertThat(found().get(IsolationFeature.SCOPE))
        .isEqualTo(IsolationFeature.enforced(IsolationFeature.SCOPE));
    assertThat(found().get(IsolationFeature.NETWORK).state())
        .isEqualTo(IsolationFeature.State.UNKNOWN);
  }

  /**
   * Fails when an isolation feature that cannot be created stops a launch, or is reported as
   * present.
   */
  @Test
  void missingRightsAreReportedAndGangsStillLaunch() {
    List<HasMetadata> identity = identityWithoutIsolation();
    identity.forEach(object -> cluster.admin().resource(object).create());
    List<String> nodes = cluster.nodes("isolation", 2, 8, 1);
    try (ClusterGateway gateway =
        RealCluster.connect(installation, RealCluster.connection(cluster.kubeconfig(LESS)))) {
      eventually(
          "it is seen and ours",
          () -> gateway.contact().synced() && gateway.claim(EPOCH, 0).equals(EpochClaim.OURS));
      LaunchOrder order = gang(gateway, nodes);
      assertThat(
              RealCluster.answered(gateway, new WorkloadAction.Launch(order.attempt().id(), order)))
          .isEqualTo(new ActionOutcome.Done(new TreeSet<>()));
      assertThat(cluster.wanted(namespace)).hasSize(2);
      assertThat(policies()).isEmpty();
      eventually(
          "it is told",
          () ->
              gateway.capabilities().isolation().stream()
                  .anyMatch(feature ->
                      feature.equals(
                          IsolationFeature.notEnforced(
                              IsolationFeature.NETWORK,
                              NamespaceIsolation.NO_RIGHT + "; " + NamespaceIsolation.OPEN))));
      eventually(
          "and that nothing bounds it",
          () ->
              gateway
                  .capabilities()
                  .isolation()
                  .contains(
                      IsolationFeature.notEnforced(
                          IsolationFeature.QUOTA, NamespaceIsolation.NO_RIGHT)));
    } finally {
      identity.forEach(object -> cluster.admin().resource(object).delete());
      cluster.admin().pods().inNamespace(namespace).withGracePeriod(0).delete();
    }
  }

  /** Fails when a pod beyond the admitted pods is accepted, or a changed quota is not restored. */
  @Test
  void namespaceQuotaIsTheAdmittedAmountPlusAMargin() {
    assertThat(namespaces.ensure(fairlead, namespace, Orders.PROJECT)).isNull();
    eventually(
        "what lives there is counted, and bounds it",
        () -> {
          upkeep.look(fairlead);
          return bounds()
              .equals(Map.of("pods", "64", GPUS, "16", CPU, "512", MEMORY, "4398046511104"));
        });
    eventually(
        "a probe was refused",
        () -> {
          upkeep.look(fairlead);
          return IsolationFeature.enforced(IsolationFeature.QUOTA)
              .equals(found().get(IsolationFeature.QUOTA));
        });
    assertThat(repairs()).as("a limit that Fairlead lowers does not count as a repair").isZero();
    assertThatThrownBy(() -> cluster.admin().resource(greedy()).create())
        .hasMessageContaining("exceeded quota: fairlead-quota");

    cluster.admin().resourceQuotas().inNamespace(namespace).delete();
    cluster.admin().limitRanges().inNamespace(namespace).delete();
    upkeep.look(fairlead);
    assertThat(bounds()).containsKeys("pods", GPUS, CPU, MEMORY);
    assertThat(cluster.admin().limitRanges().inNamespace(namespace).list().getItems()).hasSize(1);
    assertThat(repairs()).isEqualTo(2);
  }

  /** Fails when a launch is sent despite an exhausted quota, or an exhausted quota ends its job. */
  @Test
  void launchRaisesTheQuotaToItsNeed() {
    List<String> nodes = cluster.nodes("isolation", 2, 8, 1);
    try (ClusterGateway gateway = RealCluster.synced(installation, cluster)) {
      eventually("it is ours", () -> gateway.claim(EPOCH, 0).equals(EpochClaim.OURS));
      namespaces.ensure(fairlead, namespace, Orders.PROJECT);
      eventually(
          "a quota without any room is in force",
          () -> {
            cluster.admin().resource(full()).forceConflicts().serverSideApply();
            // a pass of the gateway may add other resources that it limits
            return "0".equals(status().get("pods")) && "0".equals(status().get(GPUS));
          });
      LaunchOrder order = gang(gateway, nodes);
      // if the cluster's controller is late, a few seconds pass, as between two passes
      eventually(
          "all of it is there",
          () -> {
            ActionOutcome outcome =
                gateway.apply(new WorkloadAction.Launch(order.attempt().id(), order));
            assertThat(outcome).isNotInstanceOf(ActionOutcome.Refused.class);
            return outcome instanceof ActionOutcome.Done;
          });
      assertThat(cluster.wanted(namespace)).hasSize(2);
    } finally {
      cluster.admin().pods().inNamespace(namespace).withGracePeriod(0).delete();
    }
  }

  private ResourceQuota full() {
    Quantity none = new Quantity("0");
    return new ResourceQuotaBuilder()
        .withNewMetadata()
        .withName("fairlead-quota")
        .withNamespace(namespace)
        .withLabels(ObjectLabels.of(installation))
        .endMetadata()
        .withNewSpec()
        .withHard(Map.of("pods", none, GPUS, none))
        .endSpec()
        .build();
  }

  private Pod greedy() {
    Quantity more = new Quantity("17");
    return new PodBuilder(member(new AttemptId(new UUID(random(), random()))))
        .editSpec()
        .editFirstContainer()
        .withNewResources()
        .withLimits(Map.of("nvidia.com/gpu", more))
        .withRequests(Map.of("nvidia.com/gpu", more))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  private SortedMap<String, String> bounds() {
    return quotas(quota -> quota.getSpec().getHard());
  }

  private SortedMap<String, String> status() {
    return quotas(quota -> quota.getStatus() == null ? null : quota.getStatus().getHard());
  }

  private SortedMap<String, String> quotas(
      Function<ResourceQuota, @Nullable Map<String, Quantity>> of) {
    SortedMap<String, String> found = new TreeMap<>();
    for (ResourceQuota quota :
        cluster.admin().resourceQuotas().inNamespace(namespace).list().getItems()) {
      Map<String, Quantity> amounts = of.apply(quota);
      if (amounts != null) {
        amounts.forEach((name, amount) -> found.put(name, amount.toString()));
      }
    }
    return found;
  }

  private LaunchOrder gang(ClusterGateway gateway, List<String> nodes) {
    eventually("its nodes are ready", () -> ready(gateway, nodes).size() == nodes.size());
    return new LaunchOrders(new SeededIds(random()), installation, installation.label())
        .order(
            EPOCH,
            Specs.job("gang").workers(2).gpus(8).build(),
            ready(gateway, nodes),
            gateway.capabilities());
  }

  private static List<NodeReport> ready(ClusterGateway gateway, List<String> nodes) {
    return gateway.inventory().nodes().stream()
        .filter(n -> nodes.contains(n.name()) && n.ready())
        .toList();
  }

  /** The state after an operator applied the manifest of an earlier version. */
  private List<HasMetadata> identityWithoutIsolation() {
    ClusterRole role =
        new ClusterRoleBuilder(cluster.admin().rbac().clusterRoles().withName("fairlead").get())
            .withNewMetadata()
            .withName(LESS)
            .endMetadata()
            .build();
    Set<String> later = Set.of("networkpolicies", "resourcequotas", "limitranges");
    role.getRules().removeIf(rule -> rule.getResources().stream().anyMatch(later::contains));
    return List.of(
        new ServiceAccountBuilder()
            .withNewMetadata()
            .withName(LESS)
            .withNamespace(Namespaces.SYSTEM)
            .endMetadata()
            .build(),
        role,
        new ClusterRoleBindingBuilder()
            .withNewMetadata()
            .withName(LESS)
            .endMetadata()
            .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", LESS)
            .addNewSubject("", "ServiceAccount", LESS, Namespaces.SYSTEM)
            .build(),
        new RoleBindingBuilder()
            .withNewMetadata()
            .withName(LESS)
            .withNamespace(Namespaces.SYSTEM)
            .endMetadata()
            .withNewRoleRef("rbac.authorization.k8s.io", "Role", "fairlead-fence")
            .addNewSubject("", "ServiceAccount", LESS, Namespaces.SYSTEM)
            .build());
  }

  private void label(String name, String value) {
    cluster
        .admin()
        .namespaces()
        .withName(namespace)
        .patch(MERGE, "{\"metadata\":{\"labels\":{\"%s\":%s}}}".formatted(name, value));
  }

  private Namespace there() {
    return cluster.admin().namespaces().withName(namespace).get();
  }

  private List<NetworkPolicy> policies() {
    return cluster
        .admin()
        .network()
        .v1()
        .networkPolicies()
        .inNamespace(namespace)
        .list()
        .getItems();
  }

  private static NetworkPolicy egress(List<NetworkPolicy> policies) {
    return policies.get(1);
  }

  private double repairs() {
    return meters.get("fairlead.cluster.repairs").tag("cluster", "isolation").counter().count();
  }

  private SortedMap<String, IsolationFeature> found() {
    SortedMap<String, IsolationFeature> found = new TreeMap<>();
    upkeep
        .isolation(FenceProbe.Finding.UNKNOWN, ClusterOfferings.Findings.NONE)
        .forEach(feature -> found.put(feature.name(), feature));
    return found;
  }

  private static long random() {
    return ThreadLocalRandom.current().nextLong();
  }
}
