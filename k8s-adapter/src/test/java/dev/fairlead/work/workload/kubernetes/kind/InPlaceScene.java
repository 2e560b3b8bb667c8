package dev.fairlead.work.workload.kubernetes.kind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.front.FrontAnswer;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.SeenJob;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.tenant.OwnActor;
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
import dev.fairlead.work.workload.kubernetes.Orders;
import dev.fairlead.work.workload.kubernetes.RealCluster;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A real control plane with the kinds of other operators, and objects of these kinds. */
abstract class InPlaceScene {

  static final String FRONT = "deploy/cluster-front.yaml";
  static final String NODES_POLICY = "deploy/cluster-front-nodes.yaml";
  static final String SPACE = "in-place";
  private static final Set<String> WATCHED =
      Set.of("jobset/", "mpijob/", "pytorchjob/", "raycluster/", "rayjob/", "trainjob/");
  static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  static final ActionOutcome DONE = new ActionOutcome.Done(new TreeSet<>());
  static final String POD =
      "{metadata: {labels: {app: x}}, spec: {containers: [{name: c, image: \"a:1\", resources:"
          + " {requests: {cpu: 1}}}], volumes: []}}";
  static final String SUSPENDED =
      "{\"status\":{\"conditions\":[{\"type\":\"Suspended\",\"status\":\"%s\"}]}}";

  final Installation installation =
      new Installation(new UUID(System.nanoTime(), System.nanoTime()), 1);
  final LaunchOrders orders =
      new LaunchOrders(new SeededIds(System.nanoTime()), installation, installation.label());
  final TestCluster cluster = KubernetesCluster.shared();
  List<String> nodes;
  ClusterGateway gateway;
  FrontGateway front;

  @BeforeEach
  void aFrontClusterWithTheKinds() {
    nodes = cluster.nodes("inplace", 2, 0, 1);
    cluster.applies(FRONT);
    cluster.applies(NODES_POLICY);
    cluster.apply(crds());
    for (String crd :
        List.of(
            "jobsets.jobset.x-k8s.io",
            "mpijobs.kubeflow.org",
            "pytorchjobs.kubeflow.org",
            "rayclusters.ray.io",
            "rayjobs.ray.io",
            "trainjobs.trainer.kubeflow.org")) {
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
          FrontGateway.View view = front.view();
          return view.complete() && Collections.disjoint(view.unread(), WATCHED);
        });
  }

  @AfterEach
  void nothingIsLeft() {
    gateway.close();
    for (String kind :
        List.of("jobset", "mpijob", "pytorchjob", "raycluster", "rayjob", "trainjob")) {
      for (GenericKubernetesResource one : all(kind)) {
        named(kind, one.getMetadata().getName())
            .patch(MERGE, "{\"metadata\":{\"finalizers\":null}}");
        var _ = named(kind, one.getMetadata().getName()).delete();
      }
    }
    cluster.withdraws(NODES_POLICY);
    cluster.withdraws(FRONT);
  }

  static String crds() {
    try (InputStream file = InPlaceScene.class.getResourceAsStream("/kinds/crds.yaml")) {
      return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Kind kind(String name) {
    return Kinds.find(name).orElseThrow();
  }

  Resource<GenericKubernetesResource> named(String kind, String name) {
    return KindForm.named(kind(kind), cluster.admin(), SPACE, name);
  }

  List<GenericKubernetesResource> all(String kind) {
    Kind of = kind(kind);
    return cluster
        .admin()
        .genericKubernetesResources(of.group() + "/" + of.version(), of.kind())
        .inNamespace(SPACE)
        .list()
        .getItems();
  }

  GenericKubernetesResource object(String kind) {
    return named(kind, "train").get();
  }

  static String manifest(String kind, String spec) {
    Kind of = kind(kind);
    return """
    apiVersion: %s/%s
    kind: %s
    metadata: {namespace: %s, name: train, labels: {fairlead.dev/queue: research}}
    spec: %s
    """
        .formatted(of.group(), of.version(), of.kind(), SPACE, spec.replace("POD", POD));
  }

  SeenJob seen(String kind) {
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

  static SeenJob done(FrontAnswer answer) {
    assertThat(answer).isInstanceOf(FrontAnswer.Done.class);
    return ((FrontAnswer.Done) answer).now();
  }

  LaunchOrder order(SeenJob seen, int workers) {
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
        job.with().user(OwnActor.front("real", SPACE)).spec(spec).array(null).version(1).build();
    return order.with().epoch(1).job(submitted).build();
  }

  Collection<ObservedMember> members(LaunchOrder order) {
    front.follow(false);
    var found = gateway.workloadsSince(0).workloads().get(order.attempt().id());
    return found == null ? List.of() : found.members().values();
  }

  void eventually(LaunchOrder order, String what, MemberState state, boolean deleting) {
    RealCluster.eventually(
        what,
        () ->
            members(order).size() == order.attempt().members().size()
                && members(order).stream()
                    .allMatch(m -> m.state() == state && m.deleting() == deleting));
  }

  void status(String kind, String merge) {
    named(kind, "train").subresource("status").patch(MERGE, merge);
  }

  ActionOutcome stop(LaunchOrder order) {
    return RealCluster.answered(
        gateway,
        new WorkloadAction.Stop(
            order.attempt().id(), order.project().namespace(), Duration.ZERO, List.of()));
  }

  void pod(String name, String reservation, boolean controlled) {
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace(SPACE)
            .withName(name)
            .addToLabels(KindObject.RESERVED, reservation)
            .addToLabels("jobset.sigs.k8s.io/replicatedjob-name", "worker")
            .addNewOwnerReference()
            .withApiVersion("jobset.x-k8s.io/v1alpha2")
            .withKind("JobSet")
            .withName("train")
            .withUid(object("jobset").getMetadata().getUid())
            .withController(controlled)
            .endOwnerReference()
            .endMetadata()
            .withSpec(ForeignPods.spec(nodes.getFirst()))
            .build();
    var _ = cluster.admin().resource(pod).create();
  }

  /** A suspended JobSet that the front holds. */
  SeenJob heldJobSet() {
    cluster.apply(
        manifest(
            "jobset",
            "{suspend: true, replicatedJobs: [{name: worker, template: {spec: {template:"
                + " POD}}}]}"));
    SeenJob held = done(front.hold(seen("jobset")));
    status("jobset", SUSPENDED.formatted("True"));
    return held;
  }
}
