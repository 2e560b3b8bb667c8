package dev.fairlead.work.workload.kubernetes.kind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.front.FrontAnswer;
import dev.fairlead.front.SeenJob;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.RealCluster;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Objects of other kinds that are not started, stopped or deleted, on a real control plane. */
@OnControlPlane
class InPlaceStopIT extends InPlaceScene {

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
  void objectNamingAnAttemptOfAnotherObjectIsStopped() {
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

  /** Fails when an object continues without a reservation after its nodes have rebooted. */
  @Test
  void anObjectOfADeadAttemptIsStopped() {
    SeenJob held = heldJobSet();
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

  /** Fails when an object that was deleted with its pods keeps its reservation forever. */
  @Test
  void deletedObjectEndsItsAttempt() {
    SeenJob held = heldJobSet();
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

  /** Fails when the reason is missing why the objects of a kind are not adopted. */
  @Test
  void missingKindIsNamed() {
    gateway.close();
    String _ = cluster.kubectl("delete", "crd", "mpijobs.kubeflow.org");
    gateway = RealCluster.synced(installation, cluster);
    front = gateway.front();
    RealCluster.eventually(
        "all kinds are asked for",
        () -> {
          front.follow(true);
          return gateway.capabilities().reasons().getOrDefault("kinds", "").contains("MPIJob");
        });
    assertThat(gateway.capabilities().reasons().get("kinds"))
        .contains("MPIJob (kubeflow.org/v2beta1)")
        .doesNotContain("JobSet", "RayCluster", "RayJob", "PyTorchJob");
    cluster.apply(crds());
    String _ = cluster.kubectl("wait", "--for=condition=Established", "crd/mpijobs.kubeflow.org");
  }
}
