package dev.fairlead.work.workload.kubernetes.kind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.front.FrontAnswer;
import dev.fairlead.front.FrontCondition;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.SeenJob;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.ForeignPods;
import dev.fairlead.work.workload.kubernetes.KubernetesCluster;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.Orders;
import dev.fairlead.work.workload.kubernetes.RealCluster;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Objects of other kinds on a real control plane. The test takes the part of their controllers. */
@OnControlPlane
class InPlaceIT {
  private static final String FRONT = "deploy/cluster-front.yaml";
  private static final String SPACE = "in-place";
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private static final ActionOutcome DONE = new ActionOutcome.Done(new TreeSet<>());
  private static final String POD =
      "{metadata: {labels: {app: x}}, spec: {containers: [{name: c, image: \"a:1\", resources: {requests: {cpu: 1}}}], volumes: []}}";
  private static final String SUSPENDED =
      "{\"status\":{\"conditions\":[{\"type\":\"Suspended\",\"status\":\"%s\"}]}}";

  private final Installation installation =
      new Installation(new UUID(System.nanoTime(), System.nanoTime()), 1);
  private final LaunchOrders orders =
      new LaunchOrders(new SeededIds(System.nanoTime()), installation, installation.label());
  private final TestCluster cluster = KubernetesCluster.shared();
  private List<String> nodes;
  private ClusterGateway gateway;
  private FrontGateway front;

  @BeforeEach
  void aFrontClusterWithTheKinds() {
    nodes = cluster.nodes("inplace", 2, 0, 1);
    cluster.applies(FRONT);
    cluster.apply(crds());
    for (String crd :
        List.of("jobsets.jobset.x-k8s.io", "pytorchjobs.kubeflow.org", "rayjobs.ray.io")) {
      String _ =
          cluster.kubectl("wait", "--for=condition=Established", "crd/" + crd, "--timeout=30s");
    }
    ForeignPods.namespace(cluster, SPACE);
    gateway = RealCluster.synced(installation, cluster);
    RealCluster.fenced(gateway, 1);
    front = gateway.front();
    RealCluster.eventually(
        "all kinds are watched",
        () -> {
          front.follow(true);
          return front.view().complete();
        });
  }

  @AfterEach
  void nothingIsLeft() {
    gateway.close();
    for (String kind : List.of("jobset", "pytorchjob", "rayjob")) {
      for (GenericKubernetesResource one : all(kind)) {
        named(kind, one.getMetadata().getName())
            .patch(MERGE, "{\"metadata\":{\"finalizers\":null}}");
        var _ = named(kind, one.getMetadata().getName()).delete();
      }
    }
    cluster.withdraws(FRONT);
  }

  private static String crds() {
    try (InputStream file = InPlaceIT.class.getResourceAsStream("/kinds/crds.yaml")) {
      return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Kind kind(String name) {
    return Kinds.find(name).orElseThrow();
  }

  private Resource<GenericKubernetesResource> named(String kind, String name) {
    return KindForm.named(kind(kind), cluster.admin(), SPACE, name);
  }

  private List<GenericKubernetesResource> all(String kind) {
    Kind of = kind(kind);
    return cluster
        .admin()
        .genericKubernetesResources(of.group() + "/" + of.version(), of.kind())
        .inNamespace(SPACE)
        .list()
        .getItems();
  }

  private GenericKubernetesResource object(String kind) {
    return named(kind, "train").get();
  }

  private static String manifest(String kind, String spec) {
    Kind of = kind(kind);
    return """
    apiVersion: %s/%s
    kind: %s
    metadata: {namespace: %s, name: train, labels: {fairlead.dev/queue: research}}
    spec: %s
    """
        .formatted(of.group(), of.version(), of.kind(), SPACE, spec.replace("POD", POD));
  }

  private SeenJob seen(String kind) {
    String uid = object(kind).getMetadata().getUid();
    RealCluster.eventually(
        "the object is seen",
        () ->
            front
                .job(uid)
                .filter(
                    job -> job.version().equals(object(kind).getMetadata().getResourceVersion()))
                .isPresent());
    return front.job(uid).orElseThrow();
  }

  private static SeenJob done(FrontAnswer answer) {
    assertThat(answer).isInstanceOf(FrontAnswer.Done.class);
    return ((FrontAnswer.Done) answer).now();
  }

  private LaunchOrder order(SeenJob seen, int workers) {
    JobSpec spec =
        Specs.job("x")
            .workers(workers)
            .annotation(SeenJob.IN_PLACE, seen.text() + "/" + seen.uid())
            .build();
    LaunchOrder order =
        orders.order(
            1,
            spec,
            nodes.stream().map(name -> Orders.node(name, 0)).toList(),
            gateway.capabilities());
    Job job = order.job();
    Job submitted =
        new Job(
            job.id(),
            job.tenant(),
            job.project(),
            job.queue(),
            job.name(),
            OwnActor.front("real", SPACE),
            spec,
            job.priority(),
            job.createdAt(),
            job.run(),
            null,
            1);
    return new LaunchOrder(
        order.installation(),
        1,
        order.tenant(),
        order.project(),
        submitted,
        order.attempt(),
        order.capabilities(),
        order.secrets());
  }

  private Collection<ObservedMember> members(LaunchOrder order) {
    front.follow(false);
    var found = gateway.workloadsSince(0).workloads().get(order.attempt().id());
    return found == null ? List.of() : found.members().values();
  }

  private void eventually(LaunchOrder order, String what, MemberState state, boolean deleting) {
    RealCluster.eventually(
        what,
        () ->
            members(order).size() == order.attempt().members().size()
                && members(order).stream()
                    .allMatch(m -> m.state() == state && m.deleting() == deleting));
  }

  private void status(String kind, String merge) {
    named(kind, "train").subresource("status").patch(MERGE, merge);
  }

  private ActionOutcome stop(LaunchOrder order) {
    return RealCluster.answered(
        gateway,
        new WorkloadAction.Stop(
            order.attempt().id(), order.project().namespace(), Duration.ZERO, List.of()));
  }

  /**
   * Fails when the object is not started on the nodes of the attempt, or a stopped object counts as
   * ended before its controller has reported that, or while a pod of it runs.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jobset|{suspend: true, replicatedJobs: [{name: worker, replicas: 2, template: {spec: {template: POD}}}]}",
        "pytorchjob|{runPolicy: {suspend: true, cleanPodPolicy: All}, pytorchReplicaSpecs: {Worker: {replicas: 2, template: POD}}}"
      })
  void anObjectIsStartedOnItsNodesAndEndsWithItsLastPod(String kind, String spec) {
    cluster.apply(manifest(kind, spec));
    SeenJob held = done(front.hold(seen(kind)));
    assertThat(front.read(SPACE, held.name(), held.uid()))
        .isInstanceOfSatisfying(
            FrontAnswer.Read.class,
            read ->
                assertThat(read.request().toString())
                    .contains("\"name\":\"worker\",\"count\":2", "\"clusters\":[\"real\"]"));
    LaunchOrder order = order(held, 2);
    WorkloadAction launch = new WorkloadAction.Launch(order.attempt().id(), order);
    assertThat(gateway.apply(launch))
        .as("its controller has not reported that it is suspended")
        .isInstanceOf(ActionOutcome.Unavailable.class);
    assertThat(object(kind).toString()).contains("suspend=true").doesNotContain(nodes.getFirst());

    status(kind, SUSPENDED.formatted("True"));
    assertThat(RealCluster.answered(gateway, launch)).isEqualTo(DONE);
    assertThat(object(kind).toString())
        .contains("suspend=false", nodes.get(0), nodes.get(1), "reserved-by", "app=x");
    eventually(order, "it starts", MemberState.PENDING, false);
    status(kind, SUSPENDED.formatted("False"));
    if (kind.equals("pytorchjob")) {
      status(kind, SUSPENDED.formatted("True").replace("Suspended", "Running"));
    }
    eventually(order, "it runs", MemberState.RUNNING, false);

    cluster.apply(
        """
        apiVersion: v1
        kind: Pod
        metadata: {namespace: %s, name: pod-of-%s, labels: {fairlead.dev/reserved-by: %s}}
        spec: {containers: [{name: c, image: "a:1"}], nodeSelector: {none: none}}
        """
            .formatted(SPACE, kind, order.attempt().id().bare()));
    assertThat(stop(order)).isEqualTo(DONE);
    assertThat(object(kind).toString()).contains("suspend=true");
    eventually(order, "it is to stop", MemberState.RUNNING, true);
    status(kind, SUSPENDED.formatted("True"));
    RealCluster.pause(Duration.ofMillis(500));
    eventually(order, "its pod still runs", MemberState.RUNNING, true);
    cluster.kubectl("-n", SPACE, "delete", "pod", "pod-of-" + kind, "--grace-period=0", "--force");
    eventually(order, "its last pod is gone", MemberState.FAILED, true);
    assertThat(gateway.apply(launch)).as("a late launch").isInstanceOf(ActionOutcome.Done.class);
    assertThat(object(kind).toString()).contains("suspend=true");

    assertThat(
            RealCluster.answered(
                gateway, WorkloadAction.Retire.of(order.attempt(), order.project().namespace())))
        .isEqualTo(DONE);
    RealCluster.eventually("nothing is left", () -> members(order).isEmpty());
    assertThat(cluster.left(order.project().namespace())).isEmpty();
  }

  /** Fails when an object that ended well does not end its attempt well. */
  @Test
  void anObjectThatCompletesSucceeds() {
    cluster.apply(
        manifest(
            "jobset",
            "{suspend: true, replicatedJobs: [{name: worker, template: {spec: {template: POD}}}]}"));
    SeenJob held = done(front.hold(seen("jobset")));
    status("jobset", SUSPENDED.formatted("True"));
    LaunchOrder order = order(held, 1);
    assertThat(
            RealCluster.answered(gateway, new WorkloadAction.Launch(order.attempt().id(), order)))
        .isEqualTo(DONE);
    status("jobset", SUSPENDED.formatted("True").replace("Suspended", "Completed"));

    eventually(order, "it has ended", MemberState.SUCCEEDED, false);
    assertThat(stop(order)).isEqualTo(DONE);
    assertThat(object("jobset").toString()).as("it has ended by itself").contains("suspend=false");
  }

  /** Fails when pods without a reservation are started. */
  @Test
  void anObjectWithOtherPodsThanReservedIsNotStarted() {
    cluster.apply(
        manifest(
            "rayjob",
            "{suspend: true, entrypoint: x, shutdownAfterJobFinishes: true, rayClusterSpec: {headGroupSpec: {template: POD}, workerGroupSpecs: [{groupName: worker, replicas: 2, template: POD}]}}"));
    SeenJob held = done(front.hold(seen("rayjob")));
    status("rayjob", "{\"status\":{\"jobDeploymentStatus\":\"Suspended\"}}");
    LaunchOrder two = order(held, 2);
    assertThat(RealCluster.answered(gateway, new WorkloadAction.Launch(two.attempt().id(), two)))
        .as("the head was not reserved")
        .isInstanceOfSatisfying(
            ActionOutcome.Refused.class,
            refused -> assertThat(refused.why()).isEqualTo(ActionOutcome.Why.INVALID));
    assertThat(object("rayjob").toString()).contains("suspend=true");
  }

  /** Fails when a user prevents a preemption by naming an attempt of another object. */
  @Test
  void anObjectThatNamesAnAttemptOfAnotherObjectIsStopped() {
    cluster.apply(
        manifest(
            "jobset",
            "{suspend: true, replicatedJobs: [{name: worker, template: {spec: {template: POD}}}]}"));
    cluster.apply(
        manifest(
            "pytorchjob",
            "{runPolicy: {suspend: true, cleanPodPolicy: All}, pytorchReplicaSpecs: {Worker: {replicas: 1, template: POD}}}"));
    List<LaunchOrder> orders = new ArrayList<>();
    for (String kind : List.of("jobset", "pytorchjob")) {
      SeenJob held = done(front.hold(seen(kind)));
      status(kind, SUSPENDED.formatted("True"));
      LaunchOrder order = order(held, 1);
      orders.add(order);
      assertThat(
              RealCluster.answered(gateway, new WorkloadAction.Launch(order.attempt().id(), order)))
          .isEqualTo(DONE);
    }
    status("jobset", SUSPENDED.formatted("False"));
    eventually(orders.getFirst(), "it runs", MemberState.RUNNING, false);
    named("jobset", "train")
        .patch(
            MERGE,
            "{\"metadata\":{\"annotations\":{\"%s\":\"%s\"}}}"
                .formatted(KindObject.ATTEMPT, orders.getLast().attempt().id().bare()));

    assertThat(stop(orders.getFirst())).isEqualTo(DONE);
    assertThat(object("jobset").toString()).contains("suspend=true");
    status("jobset", SUSPENDED.formatted("True"));
    eventually(orders.getFirst(), "it has ended", MemberState.FAILED, true);
  }

  /** Fails when an object runs on without a reservation after its nodes have booted. */
  @Test
  void anObjectOfADeadAttemptIsStopped() {
    cluster.apply(
        manifest(
            "jobset",
            "{suspend: true, replicatedJobs: [{name: worker, template: {spec: {template: POD}}}]}"));
    SeenJob held = done(front.hold(seen("jobset")));
    status("jobset", SUSPENDED.formatted("True"));
    LaunchOrder order = order(held, 1);
    assertThat(
            RealCluster.answered(gateway, new WorkloadAction.Launch(order.attempt().id(), order)))
        .isEqualTo(DONE);
    LaunchOrder next = order(held, 1);
    assertThat(
            RealCluster.answered(
                gateway, WorkloadAction.Retire.of(order.attempt(), order.project().namespace())))
        .isEqualTo(DONE);
    assertThat(object("jobset").toString()).contains("suspend=true");
    assertThat(RealCluster.answered(gateway, new WorkloadAction.Launch(next.attempt().id(), next)))
        .as("the next attempt starts it")
        .isEqualTo(DONE);
  }

  /** Fails when an object that was deleted with its pods keeps its reservation for ever. */
  @Test
  void aDeletedObjectEndsItsAttempt() {
    cluster.apply(
        manifest(
            "jobset",
            "{suspend: true, replicatedJobs: [{name: worker, template: {spec: {template: POD}}}]}"));
    SeenJob held = done(front.hold(seen("jobset")));
    status("jobset", SUSPENDED.formatted("True"));
    LaunchOrder order = order(held, 1);
    assertThat(
            RealCluster.answered(gateway, new WorkloadAction.Launch(order.attempt().id(), order)))
        .isEqualTo(DONE);
    eventually(order, "it starts", MemberState.PENDING, false);
    assertThat(
            gateway.gone(
                order.project().namespace(),
                order.attempt().id(),
                members(order).iterator().next().key(),
                held.uid()))
        .as("a pod that never existed proves nothing")
        .isFalse();

    SeenJob released = done(front.release(seen("jobset")));
    assertThat(released.held()).isFalse();
    var _ = named("jobset", "train").delete();

    eventually(order, "it has ended", MemberState.FAILED, true);
    assertThat(front.read(SPACE, held.name(), held.uid())).isInstanceOf(FrontAnswer.Gone.class);
  }

  /**
   * Fails when a process that begins takes the absence of pods of Fairlead for the end of an
   * attempt in place, and gives the nodes of a running object to others.
   */
  @Test
  void aProcessThatBeginsKnowsTheObjectBeforeItWatchesTheKind() {
    cluster.apply(
        manifest(
            "jobset",
            "{suspend: true, replicatedJobs: [{name: worker, template: {spec: {template: POD}}}]}"));
    SeenJob held = done(front.hold(seen("jobset")));
    status("jobset", SUSPENDED.formatted("True"));
    LaunchOrder order = order(held, 1);
    assertThat(
            RealCluster.answered(gateway, new WorkloadAction.Launch(order.attempt().id(), order)))
        .isEqualTo(DONE);
    status("jobset", SUSPENDED.formatted("False"));
    gateway.close();

    gateway = RealCluster.synced(installation, cluster);
    front = gateway.front();
    String namespace = order.project().namespace();
    MemberKey only = MemberKey.of(order.attempt().members().getFirst());
    assertThat(gateway.gone(namespace, order.attempt().id(), only, held.uid())).isFalse();
    RealCluster.pause(Duration.ofMillis(300));
    assertThat(gateway.gone(namespace, order.attempt().id(), only, held.uid())).isFalse();
    WorkloadAction stop =
        new WorkloadAction.Stop(order.attempt().id(), namespace, Duration.ZERO, List.of(only));
    assertThat(RealCluster.answered(gateway, stop)).as("nobody is absent").isEqualTo(DONE);
    assertThat(object("jobset").toString()).contains("suspend=true");
    eventually(order, "it is to stop", MemberState.RUNNING, true);
    status("jobset", SUSPENDED.formatted("True"));
    eventually(order, "it has ended", MemberState.FAILED, true);
  }

  /**
   * Fails when a process that does not see the anchor of an attempt, because its watch lags or a
   * restore lost it, reports members as absent or their pods as gone while the object runs.
   */
  @Test
  void anAttemptWithoutAnchorIsKnownFromTheDatabase() {
    cluster.apply(
        manifest(
            "jobset",
            "{suspend: true, replicatedJobs: [{name: worker, template: {spec: {template: POD}}}]}"));
    SeenJob held = done(front.hold(seen("jobset")));
    status("jobset", SUSPENDED.formatted("True"));
    LaunchOrder order = order(held, 1);
    assertThat(
            RealCluster.answered(gateway, new WorkloadAction.Launch(order.attempt().id(), order)))
        .isEqualTo(DONE);
    gateway.close();
    String namespace = order.project().namespace();
    cluster.kubectl("-n", namespace, "delete", "configmap", "-l", ObjectLabels.ATTEMPT);

    gateway = RealCluster.synced(installation, cluster);
    front = gateway.front();
    gateway.recognise(order.attempt(), order.job());
    MemberKey only = MemberKey.of(order.attempt().members().getFirst());
    assertThat(gateway.gone(namespace, order.attempt().id(), only, held.uid())).isFalse();
    WorkloadAction stop =
        new WorkloadAction.Stop(order.attempt().id(), namespace, Duration.ZERO, List.of(only));
    assertThat(RealCluster.answered(gateway, stop)).as("no member is absent").isEqualTo(DONE);
    assertThat(object("jobset").toString()).contains("suspend=true");
  }

  /**
   * Fails when the pods of an object count twice, as its reservation and as foreign pods, or when a
   * forged label hides a foreign pod.
   */
  @Test
  void onlyAPodOfAnObjectInPlaceIsNoForeignPod() {
    cluster.apply(
        manifest(
            "jobset",
            "{suspend: true, replicatedJobs: [{name: worker, template: {spec: {template: POD}}}]}"));
    SeenJob held = done(front.hold(seen("jobset")));
    status("jobset", SUSPENDED.formatted("True"));
    LaunchOrder order = order(held, 1);
    assertThat(
            RealCluster.answered(gateway, new WorkloadAction.Launch(order.attempt().id(), order)))
        .isEqualTo(DONE);
    pod("reserved", order.attempt().id().bare(), true);
    pod("forged", new UUID(1, 2).toString(), true);
    pod("by-hand", order.attempt().id().bare(), false);
    try {
      RealCluster.eventually("two pods count", () -> foreignCpu() >= 3000);
      RealCluster.pause(Duration.ofMillis(300));
      assertThat(foreignCpu()).as("and 0.5 of 1.5 CPUs beyond the reservation").isEqualTo(3500);
    } finally {
      cluster.kubectl(
          "-n",
          SPACE,
          "delete",
          "pod",
          "reserved",
          "forged",
          "by-hand",
          "--grace-period=0",
          "--force");
    }
  }

  private void pod(String name, String reservation, boolean controlled) {
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace(SPACE)
            .withName(name)
            .addToLabels(KindObject.RESERVED, reservation)
            .addNewOwnerReference()
            .withApiVersion("jobset.x-k8s.io/v1alpha2")
            .withKind("JobSet")
            .withName("train")
            .withUid(object("jobset").getMetadata().getUid())
            .withController(controlled)
            .endOwnerReference()
            .endMetadata()
            .withSpec(ForeignPods.spec(nodes.getLast()))
            .build();
    var _ = cluster.admin().resource(pod).create();
  }

  private long foreignCpu() {
    return gateway.inventory().nodes().stream()
        .filter(node -> node.name().equals(nodes.getLast()))
        .findFirst()
        .map(node -> node.foreign().cpuMilli())
        .orElse(0L);
  }

  /** Fails when a spec that cannot be read is not told on the object, or its status is lost. */
  @Test
  void theStatusOfAnObjectIsAnAnnotation() {
    cluster.apply(
        manifest(
            "jobset",
            "{suspend: true, replicatedJobs: [{name: worker, replicas: -3, template: {spec: {template: POD}}}]}"));
    SeenJob seen = seen("jobset");
    assertThat(front.read(SPACE, seen.name(), seen.uid()))
        .isInstanceOfSatisfying(
            FrontAnswer.Read.class,
            read ->
                assertThat(read.request())
                    .isInstanceOfSatisfying(
                        FrontRequest.Inexpressible.class,
                        not ->
                            assertThat(not.field()).isEqualTo("/spec/replicatedJobs/0/replicas")));
    FrontStatus status =
        FrontStatus.NEW.with(
            FrontCondition.of(
                FrontCondition.SUBMITTED,
                false,
                "NotExpressible",
                "why",
                Instant.now().truncatedTo(ChronoUnit.SECONDS)));

    assertThat(done(front.show(seen, status)).status()).isEqualTo(status);
    assertThat(seen("jobset").status()).isEqualTo(status);
    assertThat(object("jobset").getMetadata().getAnnotations().get("fairlead.dev/status"))
        .contains("NotExpressible");
  }

  /** Fails when it is not said why the objects of a kind are not adopted. */
  @Test
  void aKindThatTheClusterLacksIsNamed() {
    assertThat(gateway.capabilities().reasons().get("kinds"))
        .contains("MPIJob (kubeflow.org/v2beta1)")
        .doesNotContain("JobSet", "RayJob", "PyTorchJob");
  }

  /** Fails without the policy: a stolen identity runs its own program in the pods of a user. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jobset|{suspend: true, network: {a: b}, replicatedJobs: [{name: worker, replicas: 2, template: {spec: {template: POD}}}]}|/replicatedJobs/0/template/spec/template",
        "pytorchjob|{runPolicy: {suspend: true, ttl: 3}, pytorchReplicaSpecs: {Worker: {replicas: 2, template: POD}}}|/pytorchReplicaSpecs/Worker/template",
        "rayjob|{suspend: true, entrypoint: x, shutdownAfterJobFinishes: true, rayClusterSpec: {headGroupSpec: {template: POD}, workerGroupSpecs: [{groupName: worker, replicas: 2, template: POD}]}}|/rayClusterSpec/workerGroupSpecs/0/template"
      })
  void ofASpecItChangesTheFlagAndTheNodesAlone(String kind, String spec, String template) {
    cluster.apply(manifest(kind, spec));
    String flag = kind(kind).suspend().text();
    try (KubernetesClient fairlead =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(cluster.kubeconfig()))
            .build()) {
      Resource<GenericKubernetesResource> object =
          KindForm.named(kind(kind), fairlead, SPACE, "train");
      String at = "/spec" + template;
      RealCluster.eventually(
          "the policy is in force", () -> denied(object, op("/metadata/labels", "{\"a\":\"b\"}")));
      assertThat(
              List.of(
                  op(flag, "false"),
                  op(at + "/spec/affinity", "{\"nodeAffinity\":{}}"),
                  op(at + "/metadata/labels/fairlead.dev~1reserved-by", "\"a\""),
                  op("/metadata/annotations/fairlead.dev~1attempt", "\"a\""),
                  op("/metadata/finalizers", "[\"fairlead.dev/job\"]")))
          .allMatch(wanted -> !denied(object, wanted));
      assertThat(
              List.of(
                  op(at + "/spec/containers/0/image", "\"evil:1\""),
                  op(at + "/spec/hostNetwork", "true"),
                  op(at + "/spec/serviceAccountName", "\"admin\""),
                  op(at + "/spec/volumes", "[{\"name\":\"h\",\"hostPath\":{\"path\":\"/\"}}]"),
                  op(at + "/metadata/labels/app", "\"y\""),
                  op(at + "/metadata/annotations", "{\"a\":\"b\"}"),
                  op("/spec/added", "1"),
                  op("/spec/" + template.split("/")[1], "{}"),
                  op("/metadata/annotations/a", "\"b\""),
                  op("/metadata/finalizers", "[\"a.b/c\"]")))
          .allMatch(wanted -> denied(object, wanted));
    }
  }

  private static String op(String path, String value) {
    return "[{\"op\":\"add\",\"path\":\"%s\",\"value\":%s}]".formatted(path, value);
  }

  private static boolean denied(Resource<GenericKubernetesResource> object, String patch) {
    try {
      GenericKubernetesResource _ = object.dryRun().patch(PatchContext.of(PatchType.JSON), patch);
      return false;
    } catch (KubernetesClientException refused) {
      assertThat(refused.getMessage()).contains("fairlead-front-kinds");
      return true;
    }
  }
}
