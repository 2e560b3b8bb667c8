package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.front.FrontAnswer;
import dev.fairlead.front.FrontCondition;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.SeenJob;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.ClusterGateway;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Write access of the identity of {@code deploy/cluster-front.yaml} to Jobs. */
@OnControlPlane
class FrontRightsIT {
  private static final String FRONT = "deploy/cluster-front.yaml";
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private static final String JOB =
      """
      apiVersion: batch/v1
      kind: Job
      metadata:
        namespace: fronted
        name: train
        labels: {example.com/l: "1"}
        annotations: {example.com/a: "1"}
        finalizers: [example.com/f]
      spec:
        managedBy: fairlead.dev/job
        template:
          spec:
            restartPolicy: Never
            containers: [{name: train, image: "registry.example.com/train:1"}]
      """;

  /** Changes that would remove the Job of a user, or hide it from its readers. */
  private static final List<String> FORBIDDEN =
      List.of(
          "{\"metadata\":{\"labels\":{\"example.com/l\":\"2\"}}}",
          "{\"metadata\":{\"labels\":{\"fairlead.dev/queue\":\"other\"}}}",
          "{\"metadata\":{\"labels\":null}}",
          "{\"metadata\":{\"annotations\":{\"example.com/a\":null}}}",
          "{\"metadata\":{\"annotations\":{\"example.com/b\":\"1\"}}}",
          "{\"metadata\":{\"finalizers\":null}}",
          "{\"metadata\":{\"finalizers\":[\"fairlead.dev/job\"]}}",
          "{\"metadata\":{\"finalizers\":[\"example.com/f\",\"example.com/g\"]}}",
          "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"none\",\"uid\":\"none\"}]}}",
          "{\"spec\":{\"suspend\":true}}");

  private final TestCluster cluster = KubernetesCluster.shared();

  /**
   * Fails without the policy's rules on labels, annotations, finalizers and owners: a stolen
   * identity could delete users' Jobs, or remove their finalizers.
   */
  @Test
  void onlyFinalizerAnnotationAndStatusOfAJobAreWritable() {
    ForeignPods.namespace(cluster, "fronted");
    cluster.applies(FRONT);
    cluster.apply(JOB);
    try (KubernetesClient fairlead =
            new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(cluster.kubeconfig()))
                .build();
        ClusterGateway gateway =
            RealCluster.synced(new Installation(UUID.randomUUID(), 1), cluster)) {
      RealCluster.eventually("the policy is in force", () -> denied(fairlead, FORBIDDEN.getLast()));
      assertThat(FORBIDDEN).allMatch(wanted -> denied(fairlead, wanted));
      assertThat(FORBIDDEN)
          .filteredOn(wanted -> wanted.contains("metadata"))
          .allMatch(wanted -> deniedBesideTheStatus(fairlead, wanted));

      FrontGateway front = gateway.front();
      String uid = job().getMetadata().getUid();
      RealCluster.eventually(
          "the Job is seen",
          () -> {
            front.follow(true);
            return front.job(uid).isPresent();
          });
      SeenJob held = done(front.hold(front.job(uid).orElseThrow()));
      assertThat(job().getMetadata().getFinalizers())
          .containsExactly("example.com/f", "fairlead.dev/job");
      SeenJob shown = done(front.show(held, waiting()));
      SeenJob released = done(front.release(shown));
      assertThat(released.status().is(FrontCondition.SUBMITTED)).isTrue();
      assertThat(job().getMetadata().getFinalizers()).containsExactly("example.com/f");
      assertThat(job().getMetadata().getAnnotations())
          .containsKey("example.com/a")
          .doesNotContainKey("fairlead.dev/installation");
    } finally {
      cluster.withdraws(FRONT);
      cluster.kubectl(
          "-n",
          "fronted",
          "patch",
          "job",
          "train",
          "--type=merge",
          "-p",
          "{\"metadata\":{\"finalizers\":null}}");
      cluster.kubectl("-n", "fronted", "delete", "job", "train");
    }
  }

  private Job job() {
    return cluster.admin().batch().v1().jobs().inNamespace("fronted").withName("train").get();
  }

  private static FrontStatus waiting() {
    Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    return FrontStatus.NEW.with(
        FrontCondition.of(FrontCondition.SUBMITTED, true, "Submitted", "job_1", now));
  }

  private static SeenJob done(FrontAnswer answer) {
    assertThat(answer).isInstanceOf(FrontAnswer.Done.class);
    return ((FrontAnswer.Done) answer).now();
  }

  private static boolean denied(KubernetesClient fairlead, String merge) {
    var job = fairlead.batch().v1().jobs().inNamespace("fronted").withName("train");
    return denied(() -> job.dryRun().patch(MERGE, merge));
  }

  /** The status is written together with its adjacent fields. */
  private static boolean deniedBesideTheStatus(KubernetesClient fairlead, String merge) {
    var job = fairlead.batch().v1().jobs().inNamespace("fronted").withName("train");
    return denied(() -> job.subresource("status").patch(MERGE, merge));
  }

  private static boolean denied(Runnable patch) {
    try {
      patch.run();
      return false;
    } catch (KubernetesClientException refused) {
      return refused.getMessage().contains("fairlead-front");
    }
  }
}
