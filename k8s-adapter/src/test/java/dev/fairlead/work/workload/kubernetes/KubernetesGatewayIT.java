package dev.fairlead.work.workload.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.node.NodeCondition;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.ClusterGatewayContract;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import io.fabric8.kubernetes.api.model.DownwardAPIVolumeFile;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretKeySelector;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The gateway against a real control plane has the guarantees of the simulated one. */
@OnControlPlane
class KubernetesGatewayIT extends ClusterGatewayContract {
  private static final Installation INSTALLATION =
      new Installation(
          new UUID(ThreadLocalRandom.current().nextLong(), ThreadLocalRandom.current().nextLong()),
          1);
  private static TestCluster cluster;
  private static ClusterGateway gateway;

  @BeforeAll
  static void connect() {
    cluster = KubernetesCluster.shared();
    cluster.nodes("contract", 2, 2, 2);
    gateway =
        RealCluster.synced(
            INSTALLATION,
            cluster,
            ClusterSettings.DEFAULT.withCallback("https://fairlead.example.com"));
    RealCluster.eventually("both nodes are seen", () -> gateway.inventory().nodes().size() >= 2);
  }

  @AfterAll
  static void disconnect() {
    if (gateway != null) {
      gateway.close();
    }
  }

  @Override
  protected ClusterGateway gateway() {
    return gateway;
  }

  @Override
  protected void advance(Duration by) {
    RealCluster.pause(by);
  }

  @Override
  protected void loseNode(String name) {
    cluster.silence(name);
  }

  @Override
  protected void returnNode(String name) {
    cluster.restore(name);
  }

  @Override
  protected void cordon(String node, boolean cordoned) {
    cluster.patch(node, "{\"spec\":{\"unschedulable\":" + cordoned + "}}");
  }

  @Override
  protected void show(String node, NodeCondition condition) {
    cluster.patchStatus(
        node,
        "{\"status\":{\"conditions\":[{\"type\":\"%s\",\"status\":\"%s\",\"reason\":\"%s\",\"lastTransitionTime\":\"%s\"}]}}"
            .formatted(
                condition.type(), condition.status(), condition.reason(), condition.since()));
  }

  @Override
  protected void taint(String node, @Nullable Taint taint) {
    cluster.patch(
        node,
        taint == null
            ? "{\"spec\":{\"taints\":null}}"
            : "{\"spec\":{\"taints\":[{\"key\":\"%s\",\"effect\":\"%s\"}]}}"
                .formatted(taint.key(), taint.effect()));
  }

  @Override
  protected boolean evict(LaunchOrder order, MemberKey member) {
    return cluster.evict(
        order.project().namespace(), ObjectNames.pod(order.attempt().id(), member));
  }

  @Override
  protected boolean labelsNodes() {
    return false; // the manifest grants no right to change nodes
  }

  @Override
  protected LaunchOrders newOrders() {
    return new LaunchOrders(
        new SeededIds(ThreadLocalRandom.current().nextLong()), INSTALLATION, INSTALLATION.label());
  }

  private static Pod pod(LaunchOrder order, MemberKey member) {
    return cluster
        .admin()
        .pods()
        .inNamespace(order.project().namespace())
        .withName(ObjectNames.pod(order.attempt().id(), member))
        .get();
  }

  /** In the format of a kubelet. */
  @Override
  protected String checkpointFile(LaunchOrder order, MemberKey member) {
    Pod pod = pod(order, member);
    DownwardAPIVolumeFile file =
        pod.getSpec().getVolumes().stream()
            .filter(volume -> volume.getProjected() != null)
            .flatMap(volume -> volume.getProjected().getSources().stream())
            .filter(source -> source.getDownwardAPI() != null)
            .flatMap(source -> source.getDownwardAPI().getItems().stream())
            .findFirst()
            .orElseThrow();
    assertThat(ObjectNames.CHECKPOINT_FILE).endsWith("/" + file.getPath());
    String field = file.getFieldRef().getFieldPath();
    assertThat(field).startsWith("metadata.annotations['").endsWith("']");
    String name = field.substring(field.indexOf('\'') + 1, field.length() - 2);
    return pod.getMetadata().getAnnotations() == null
        ? ""
        : pod.getMetadata().getAnnotations().getOrDefault(name, "");
  }

  /** In the form written by a kubelet, with the ids of NVIDIA's device plugin. */
  @Override
  protected List<HeldDevice> allocate(LaunchOrder order, MemberKey member) {
    String gpu = "GPU-" + UUID.nameUUIDFromBytes(order.attempt().id().text().getBytes(UTF_8));
    cluster.allocate(
        order.project().namespace(), ObjectNames.pod(order.attempt().id(), member), gpu);
    return List.of(new HeldDevice(gpu, false));
  }

  /** Like the lookup of a kubelet. */
  @Override
  protected @Nullable String secretVariable(LaunchOrder order, MemberKey member, String variable) {
    String namespace = order.project().namespace();
    String attempt = ObjectNames.attempt(order.attempt().id());
    Secret secret = cluster.admin().secrets().inNamespace(namespace).withName(attempt).get();
    if (secret == null) {
      return null;
    }
    Pod pod = pod(order, member);
    SecretKeySelector from =
        pod.getSpec().getContainers().getFirst().getEnv().stream()
            .filter(env -> env.getName().equals(variable))
            .findFirst()
            .orElseThrow()
            .getValueFrom()
            .getSecretKeyRef();
    assertThat(from.getName()).isEqualTo(attempt);
    byte[] value = Base64.getDecoder().decode(secret.getData().get(from.getKey()));
    return new String(value, StandardCharsets.UTF_8);
  }

  @Override
  protected void occupy(LaunchOrder order, String podName) {
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withName(podName)
            .withNamespace(order.project().namespace())
            .addToLabels("somebody", "else")
            .endMetadata()
            .withSpec(ForeignPods.spec(order.attempt().members().getFirst().nodeName()))
            .build();
    ForeignPods.namespace(cluster, order.project().namespace());
    cluster.admin().resource(pod).create();
  }

  @Override
  protected boolean occupied(LaunchOrder order, String podName) {
    Pod pod =
        cluster.admin().pods().inNamespace(order.project().namespace()).withName(podName).get();
    return pod != null
        && pod.getMetadata().getDeletionTimestamp() == null
        && "else".equals(pod.getMetadata().getLabels().get("somebody"));
  }
}
