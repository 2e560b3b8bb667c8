package dev.fairlead.work.workload.kubernetes.kind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.front.FrontAnswer;
import dev.fairlead.front.FrontCondition;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.SeenJob;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.RealCluster;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Objects of other kinds on a real control plane. The test takes the part of their controllers. */
@OnControlPlane
class InPlaceIT extends InPlaceScene {

  /**
   * Fails when the object does not start on the nodes of the attempt, or when a stopped object
   * counts as ended before its controller has reported the end, or while it has a running pod.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jobset|{suspend: true, replicatedJobs: [{name: worker, replicas: 2, template: {spec: {template: POD}}}]}",
        "pytorchjob|{runPolicy: {suspend: true, cleanPodPolicy: All}, pytorchReplicaSpecs: {Worker: {replicas: 2, template: POD}}}",
        "mpijob|{runPolicy: {suspend: true, cleanPodPolicy: All}, mpiReplicaSpecs: {Worker: {replicas: 2, template: POD}}}"
      })
  void objectIsStartedOnItsNodesAndEndsWithItsLastPod(String kind, String spec) {
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
    if (!kind.equals("jobset")) {
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

  /** Fails when an object succeeds and its attempt does not. */
  @Test
  void anObjectThatCompletesSucceeds() {
    SeenJob held = heldJobSet();
    LaunchOrder order = order(held, 1);
    assertThat(
            RealCluster.answered(gateway, new WorkloadAction.Launch(order.attempt().id(), order)))
        .isEqualTo(DONE);
    status("jobset", SUSPENDED.formatted("True").replace("Suspended", "Completed"));

    eventually(order, "it has ended", MemberState.SUCCEEDED, false);
    assertThat(stop(order)).isEqualTo(DONE);
    assertThat(object("jobset").toString()).as("it has ended by itself").contains("suspend=false");
  }

  /**
   * Fails when a starting process mistakes the absence of pods of Fairlead for the end of an
   * attempt in place, and assigns the nodes of a running object to other jobs.
   */
  @Test
  void startingProcessKnowsTheObjectBeforeItsWatch() {
    SeenJob held = heldJobSet();
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
   * restore lost it, reports members as absent or their pods as deleted while the object runs.
   */
  @Test
  void attemptWithoutAnAnchorIsKnownFromTheDatabase() {
    SeenJob held = heldJobSet();
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
  void onlyAPodOfAnInPlaceObjectIsNoForeignPod() {
    SeenJob held = heldJobSet();
    LaunchOrder order = order(held, 1);
    assertThat(
            RealCluster.answered(gateway, new WorkloadAction.Launch(order.attempt().id(), order)))
        .isEqualTo(DONE);
    pod("reserved", order.attempt().id().bare(), true);
    pod("forged", new UUID(1, 2).toString(), true);
    pod("by-hand", order.attempt().id().bare(), false);
    try {
      RealCluster.eventually("two pods count", () -> foreignCpu() >= 3000);
      RealCluster.eventually(
          "its pod explains the member",
          () ->
              members(order).stream()
                  .map(ObservedMember::reason)
                  .anyMatch(("pod reserved on " + nodes.getFirst() + ": Running")::equals));
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

  private long foreignCpu() {
    return gateway.inventory().nodes().stream()
        .filter(node -> node.name().equals(nodes.getFirst()))
        .findFirst()
        .map(node -> node.foreign().cpuMilli())
        .orElse(0L);
  }

  /** Fails when an unreadable spec is not reported on the object, or its status is lost. */
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

  /** Fails without the policy: a stolen identity runs its own program in the pods of a user. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jobset|{suspend: true, network: {a: b}, replicatedJobs: [{name: worker, replicas: 2, template: {spec: {template: POD}}}]}|/replicatedJobs/0/template/spec/template",
        "pytorchjob|{runPolicy: {suspend: true, ttl: 3}, pytorchReplicaSpecs: {Worker: {replicas: 2, template: POD}}}|/pytorchReplicaSpecs/Worker/template",
        "mpijob|{runPolicy: {suspend: true, ttl: 3}, mpiReplicaSpecs: {Worker: {replicas: 2, template: POD}}}|/mpiReplicaSpecs/Worker/template",
        "raycluster|{suspend: true, rayVersion: x, headGroupSpec: {template: POD}, workerGroupSpecs: [{groupName: worker, replicas: 2, template: POD}]}|/workerGroupSpecs/0/template",
        "rayjob|{suspend: true, entrypoint: x, shutdownAfterJobFinishes: true, rayClusterSpec: {headGroupSpec: {template: POD}, workerGroupSpecs: [{groupName: worker, replicas: 2, template: POD}]}}|/rayClusterSpec/workerGroupSpecs/0/template"
      })
  void onlyTheSuspendFlagAndTheNodesOfASpecAreWritable(String kind, String spec, String template) {
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
