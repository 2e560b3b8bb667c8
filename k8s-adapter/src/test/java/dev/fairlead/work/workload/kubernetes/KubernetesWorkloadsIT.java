package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.HostLookup;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.LogRequest;
import dev.fairlead.work.workload.NodeNotes;
import dev.fairlead.work.workload.RepairNotes;
import dev.fairlead.work.workload.WorkloadAction;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Behaviour of a real control plane: objects, admission, concurrent supervisors, and outages. */
@OnControlPlane
class KubernetesWorkloadsIT {
  private static final String RULE =
      """
      apiVersion: admissionregistration.k8s.io/v1
      kind: ValidatingAdmissionPolicy
      metadata: {name: no-names}
      spec:
        matchConstraints:
          resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [namespaces]}]
        validations: [{expression: "object.metadata.name != '%s'"}]
      ---
      apiVersion: admissionregistration.k8s.io/v1
      kind: ValidatingAdmissionPolicyBinding
      metadata: {name: no-names}
      spec: {policyName: no-names, validationActions: [Deny]}
      """;

  private static final ActionOutcome DONE = new ActionOutcome.Done(new TreeSet<>());
  private final Installation installation = new Installation(new UUID(random(), random()), 1);
  private final LaunchOrders orders =
      new LaunchOrders(new SeededIds(random()), installation, installation.label());
  private final String namespace = "fairlead-" + installation.label();
  private final List<ClusterGateway> gateways = new ArrayList<>();
  private TestCluster cluster;
  private List<String> nodes;

  @BeforeEach
  void prepare() {
    cluster = KubernetesCluster.shared();
    nodes = cluster.nodes("work", 4, 8, 2);
  }

  @AfterEach
  void close() {
    gateways.forEach(ClusterGateway::close);
  }

  @Test
  void gangIsPinnedAndOwnedAndLeavesNoObjectOnceRetired() {
    ClusterGateway gateway = gateway();
    LaunchOrder order = order(gateway, 5, Specs.job("gang").workers(4).gpus(8));
    assertThat(RealCluster.answered(gateway, launch(order))).isEqualTo(DONE);
    String name = ObjectNames.attempt(order.attempt().id());
    assertThat(cluster.left(namespace))
        .contains("ConfigMap/" + name, "Service/" + name, "PodDisruptionBudget/" + name)
        .hasSize(7);
    for (Member member : order.attempt().members()) {
      String pod = ObjectNames.pod(order.attempt().id(), MemberKey.of(member));
      assertThat(cluster.podNodes(namespace)).containsEntry(pod, member.nodeName());
    }
    Pod first = cluster.admin().pods().inNamespace(namespace).withName(name + "-worker-0-0").get();
    assertThat(first.getMetadata().getOwnerReferences().getFirst().getKind())
        .isEqualTo("ConfigMap");
    assertThat(first.getSpec().getSubdomain()).isEqualTo(name);
    eventuallyAll(gateway, order, MemberState.RUNNING);
    RealCluster.answered(gateway, stop(order));
    eventuallyAll(gateway, order, MemberState.FAILED);
    assertThat(RealCluster.answered(gateway, retire(order))).isEqualTo(DONE);
    RealCluster.eventually("nothing is left", () -> cluster.left(namespace).isEmpty());
    RealCluster.eventually(
        "nothing is shown",
        () -> gateway.workloadsSince(0).workloads().get(order.attempt().id()) == null);
  }

  /** Fails when a pod that a finalizer of another controller retains counts as deleted. */
  @Test
  void podHeldByAForeignFinalizerIsNamedUntilItIsGone() {
    ClusterGateway gateway = gateway();
    LaunchOrder order = order(gateway, 5, Specs.job("kept"));
    assertThat(RealCluster.answered(gateway, launch(order))).isEqualTo(DONE);
    eventuallyAll(gateway, order, MemberState.RUNNING);
    String name =
        ObjectNames.pod(order.attempt().id(), MemberKey.of(order.attempt().members().getFirst()));
    finalizers(name, "[\"fairlead.dev/tracking\",\"example.com/backup\"]");
    RealCluster.answered(gateway, stop(order));
    eventuallyAll(gateway, order, MemberState.FAILED);
    for (int times = 0; times < 2; times++) {
      RealCluster.eventually(
          "it is told what holds the pod",
          () ->
              gateway.apply(retire(order)) instanceof ActionOutcome.Unavailable(String message)
                  && Stream.of(namespace + "/" + name, "example.com/backup", "kubectl")
                      .allMatch(message::contains));
    }
    assertThat(cluster.podNodes(namespace)).containsKey(name);

    finalizers(name, "null");
    RealCluster.eventually("it can be retired", () -> gateway.apply(retire(order)).equals(DONE));
    RealCluster.eventually("nothing is left", () -> cluster.left(namespace).isEmpty());
  }

  private void finalizers(String pod, String json) {
    cluster
        .admin()
        .pods()
        .inNamespace(namespace)
        .withName(pod)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"finalizers\":%s}}".formatted(json));
  }

  @Test
  void namespaceAdmitsOnlyRestrictedPods() {
    ClusterGateway gateway = gateway();
    LaunchOrder order = order(gateway, 5, Specs.job("single"));
    assertThat(RealCluster.answered(gateway, launch(order))).isEqualTo(DONE);
    assertThat(cluster.admin().namespaces().withName(namespace).get().getMetadata().getLabels())
        .containsEntry("pod-security.kubernetes.io/enforce", "restricted");
    RealCluster.answered(gateway, retire(order));
  }

  /**
   * Fails when a matching name suffices although the namespace, or the account in a manually
   * created namespace, has the labels of another installation.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void namespaceOfAnotherInstallationIsRejectedWithTheNextStep(boolean byHand) {
    if (byHand) {
      Namespace made =
          new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build();
      cluster.admin().resource(made).create();
    }
    ClusterGateway gateway = gateway();
    LaunchOrder order = order(gateway, 5, Specs.job("first"));
    assertThat(RealCluster.answered(gateway, launch(order))).isEqualTo(DONE);
    Installation other = new Installation(new UUID(random(), random()), 1);
    LaunchOrders same = new LaunchOrders(new SeededIds(random()), other, installation.label());
    ClusterGateway neighbour = RealCluster.synced(other, cluster);
    gateways.add(neighbour);
    RealCluster.eventually("it acts", () -> neighbour.claim(5, 0) == EpochClaim.OURS);
    LaunchOrder second =
        same.order(
            5,
            Specs.job("second").build(),
            List.of(node(gateway, nodes.getFirst())),
            neighbour.capabilities());

    ActionOutcome outcome = RealCluster.answered(neighbour, launch(second));

    assertThat(outcome)
        .isInstanceOfSatisfying(
            ActionOutcome.Refused.class,
            refused ->
                assertThat(refused.message())
                    .contains(namespace, installation.label(), "another project or cluster"));
    assertThat(cluster.podNodes(namespace)).hasSize(1);
    RealCluster.answered(gateway, retire(order));
    RealCluster.eventually("nothing is left", () -> cluster.left(namespace).isEmpty());
  }

  /**
   * Fails when a namespace rule of a cluster counts as a failure: the launch would be retried,
   * without a message that names the cause.
   */
  @Test
  void namespaceRejectedByAPolicyIsReportedWithTheNextStep() {
    ClusterGateway gateway = gateway();
    LaunchOrder order = order(gateway, 5, Specs.job("ruled"));
    Namespace wanted =
        new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build();
    var rule = cluster.admin().load(stream(RULE.formatted(namespace)));
    rule.create();
    try {
      RealCluster.eventually("it is in force", () -> refused(wanted));
      assertThat(RealCluster.answered(gateway, launch(order)))
          .isInstanceOfSatisfying(
              ActionOutcome.Refused.class,
              refused -> {
                assertThat(refused.why()).isEqualTo(ActionOutcome.Why.NOT_NOW);
                assertThat(refused.message()).contains("no-names", "exempt namespace");
              });
    } finally {
      rule.delete();
    }
  }

  private boolean refused(Namespace wanted) {
    try {
      cluster.admin().resource(wanted).dryRun(true).create();
      return false;
    } catch (KubernetesClientException denied) {
      return true;
    }
  }

  private static InputStream stream(String yaml) {
    return new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void concurrentSupervisorsCreateOnePodPerMember() throws Exception {
    ClusterGateway one = gateway();
    ClusterGateway other = gateway();
    LaunchOrder order = order(one, 5, Specs.job("race").workers(4).gpus(1));
    // Each creates every pod itself or finds the other's pod under the same name: deterministic
    // names and adoption on 409.
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<ActionOutcome>> launches =
          List.of(
              () -> RealCluster.answered(one, launch(order)),
              () -> RealCluster.answered(other, launch(order)));
      for (Future<ActionOutcome> launched : threads.invokeAll(launches)) {
        assertThat(launched.get()).isEqualTo(DONE);
      }
    }
    assertThat(cluster.podNodes(namespace)).hasSize(4);
    eventuallyAll(other, order, MemberState.RUNNING);
    RealCluster.answered(one, retire(order));
    RealCluster.eventually("nothing is left", () -> cluster.left(namespace).isEmpty());
  }

  @Test
  void aSupervisorOfAnOlderEpochCreatesNothing() {
    ClusterGateway gateway = gateway();
    LaunchOrder deposed = order(gateway, 6, Specs.job("deposed"));
    LaunchOrder later = order(gateway, 7, Specs.job("later"));
    assertThat(RealCluster.answered(gateway, launch(later))).isEqualTo(DONE);
    assertThat(RealCluster.answered(gateway, launch(deposed)))
        .isEqualTo(new ActionOutcome.Deposed(7));
    // Another process reads it from the cluster, not from memory.
    assertThat(RealCluster.answered(gateway(), launch(deposed)))
        .isEqualTo(new ActionOutcome.Deposed(7));
    assertThat(cluster.podNodes(namespace)).hasSize(1);
    RealCluster.answered(gateway, retire(later));
    RealCluster.eventually("nothing is left", () -> cluster.left(namespace).isEmpty());
  }

  @Test
  void foreignUseAndChangesOfANodeAreSeen() {
    ClusterGateway gateway = gateway();
    String node = nodes.getLast();
    LaunchOrder planned = order(gateway, 5, Specs.job("planned").workers(4).gpus(1));
    ForeignPods.namespace(cluster, "others");
    var foreign =
        new io.fabric8.kubernetes.api.model.PodBuilder()
            .withNewMetadata()
            .withName("foreign")
            .withNamespace("others")
            .endMetadata()
            .withSpec(ForeignPods.spec(node))
            .build();
    cluster.admin().resource(foreign).create();
    RealCluster.eventually("it counts", () -> node(gateway, node).foreign().cpuMilli() == 1500);
    cluster.patch(node, "{\"spec\":{\"unschedulable\":true}}");
    RealCluster.eventually("it is cordoned", () -> node(gateway, node).cordoned());
    // Without the immediately preceding check of the node, the pod would be bound.
    assertThat(RealCluster.answered(gateway, launch(planned)))
        .isInstanceOfSatisfying(
            ActionOutcome.Refused.class,
            r -> assertThat(r.why()).isEqualTo(ActionOutcome.Why.PLACE_REFUSED));
    cluster.patch(node, "{\"spec\":{\"unschedulable\":false}}");
    cluster.admin().resource(foreign).delete();
    RealCluster.eventually("it is free", () -> node(gateway, node).foreign().cpuMilli() == 0);
    RealCluster.eventually("it is open again", () -> !node(gateway, node).cordoned());
    assertThat(cluster.podNodes(namespace)).isEmpty();
  }

  @Test
  void outputIsFollowedWhileTheMemberRuns() throws IOException {
    ClusterGateway gateway = gateway();
    LaunchOrder order = order(gateway, 5, Specs.job("talks"));
    RealCluster.answered(gateway, launch(order));
    eventuallyAll(gateway, order, MemberState.RUNNING);
    MemberKey key = MemberKey.of(order.attempt().members().getFirst());
    LogRequest follow = new LogRequest(order.attempt().id(), namespace, key, 1, null, true);
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(gateway.logs(follow), StandardCharsets.UTF_8))) {
      assertThat(lines.readLine()).isNotBlank();
    }
    RealCluster.answered(gateway, retire(order));
  }

  @Test
  void apiServerOutageReportsNothingAndEndsWithACompleteView() {
    org.junit.jupiter.api.Assumptions.assumeTrue(
        cluster.owns(), "only on a cluster that this JVM started");
    ClusterGateway gateway = gateway();
    LaunchOrder order =
        order(gateway, 5, Specs.job("outlives").annotation("sim.fairlead.dev/run-for", "1s"));
    assertThat(RealCluster.answered(gateway, launch(order))).isEqualTo(DONE);
    cluster.signal("kube-apiserver", "KILL");
    try {
      RealCluster.eventually(
          "it is silent",
          () -> gateway.contact().trouble() != null && gateway.contact().silentMillis() > 500);
      assertThat(gateway.contact().synced()).isTrue();
      assertThat(gateway.apply(retire(order))).isInstanceOf(ActionOutcome.Unavailable.class);
    } finally {
      cluster.start("kube-apiserver");
    }
    RealCluster.eventually("its server answers", this::answers);
    RealCluster.eventually("it is heard again", () -> gateway.contact().silentMillis() == 0);
    eventuallyAll(gateway, order, MemberState.SUCCEEDED);
    assertThat(gateway.contact().trouble()).isNull();
    RealCluster.eventually("it can be retired", () -> gateway.apply(retire(order)).equals(DONE));
    RealCluster.eventually("nothing is left", () -> cluster.left(namespace).isEmpty());
  }

  private boolean answers() {
    try {
      return cluster.admin().raw("/readyz") != null;
    } catch (KubernetesClientException notYet) {
      return false;
    }
  }

  @Test
  void ourCordonIsSetAndRemovedAndForeignCordonsStay() {
    ClusterGateway gateway =
        RealCluster.connect(
            installation, RealCluster.connection(cluster.administratorsKubeconfig()));
    gateways.add(gateway);
    String node = nodes.getFirst();
    RealCluster.eventually("it may be marked", () -> gateway.keepOut(node, true).equals(DONE));
    assertThat(cluster.cordoned(node)).isTrue();
    assertThat(gateway.keepOut(node, false)).isEqualTo(DONE);
    assertThat(cluster.cordoned(node)).isFalse();
    cluster.cordon(node, true);
    try {
      assertThat(gateway.keepOut(node, true)).isEqualTo(DONE);
      assertThat(gateway.keepOut(node, false)).isEqualTo(DONE);
      assertThat(cluster.cordoned(node)).as("somebody else's").isTrue();
    } finally {
      cluster.cordon(node, false);
    }
    assertThat(gateway.keepOut("no-such-node", true)).isEqualTo(DONE);

    SortedMap<String, @Nullable String> asked = new TreeMap<>();
    asked.put(RepairNotes.PREFIX + "cause", "XID 79 (\"off\" the bus)");
    assertThat(gateway.note(node, asked)).isEqualTo(new NodeNotes.Shown(new TreeMap<>(asked)));
    cluster.patch(
        node, "{\"metadata\":{\"annotations\":{\"fairlead.dev/repair-answer\":\"n1 DONE\"}}}");
    assertThat(gateway.note(node, asked))
        .isInstanceOfSatisfying(
            NodeNotes.Shown.class,
            shown -> assertThat(shown.notes()).containsEntry(RepairNotes.ANSWER, "n1 DONE"));
    assertThat(gateway.note(node, RepairNotes.none()))
        .isEqualTo(new NodeNotes.Shown(new TreeMap<>()));
    assertThat(gateway.note("no-such-node", asked)).isInstanceOf(NodeNotes.Not.class);
  }

  @Test
  void disallowedAddressIsNeverConnectedTo() {
    EgressPolicy strict = new EgressPolicy(List.of(), HostLookup.system(5));
    ClusterGateway gateway =
        RealCluster.connect(installation, RealCluster.connection(cluster), strict);
    gateways.add(gateway);
    RealCluster.eventually(
        "it says why",
        () -> String.valueOf(gateway.contact().trouble()).contains("fairlead.egress.allow"));
    assertThat(gateway.contact().synced()).isFalse();
    assertThat(gateway.workloadsSince(0).complete()).isFalse();
  }

  private ClusterGateway gateway() {
    ClusterGateway gateway = RealCluster.synced(installation, cluster);
    gateways.add(gateway);
    RealCluster.eventually(
        "the nodes are seen", () -> nodes.stream().allMatch(n -> ready(gateway, n)));
    return gateway;
  }

  private LaunchOrder order(ClusterGateway gateway, long epoch, Specs spec) {
    RealCluster.eventually(
        "the epoch is the cluster's", () -> gateway.claim(epoch, 0).equals(EpochClaim.OURS));
    return orders.order(
        epoch,
        spec.build(),
        nodes.stream().map(n -> node(gateway, n)).toList(),
        gateway.capabilities());
  }

  private static NodeReport node(ClusterGateway gateway, String name) {
    return gateway.inventory().nodes().stream()
        .filter(n -> n.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static boolean ready(ClusterGateway gateway, String name) {
    return gateway.inventory().nodes().stream().anyMatch(n -> n.name().equals(name) && n.ready());
  }

  private static void eventuallyAll(ClusterGateway gateway, LaunchOrder order, MemberState state) {
    RealCluster.eventually(
        "all members are " + state,
        () -> {
          var seen = gateway.workloadsSince(0).workloads().get(order.attempt().id());
          return seen != null
              && seen.members().size() == order.attempt().members().size()
              && seen.members().values().stream().allMatch(m -> m.state() == state);
        });
  }

  private static WorkloadAction launch(LaunchOrder order) {
    return new WorkloadAction.Launch(order.attempt().id(), order);
  }

  private static WorkloadAction stop(LaunchOrder order) {
    List<MemberKey> members = order.attempt().members().stream().map(MemberKey::of).toList();
    return new WorkloadAction.Stop(
        order.attempt().id(), order.project().namespace(), Duration.ofSeconds(30), members);
  }

  private static WorkloadAction retire(LaunchOrder order) {
    List<MemberKey> members = order.attempt().members().stream().map(MemberKey::of).toList();
    return new WorkloadAction.Retire(
        order.attempt().id(), order.project().namespace(), members, new TreeSet<>());
  }

  private static long random() {
    return ThreadLocalRandom.current().nextLong();
  }
}
