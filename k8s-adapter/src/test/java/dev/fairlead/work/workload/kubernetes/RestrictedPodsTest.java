package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.figures.Figure;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.kubernetes.pod.ManifestFactory;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Regardless of the job, its pods comply with the restricted Pod Security standard. */
class RestrictedPodsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final KubernetesSerialization KUBERNETES = new KubernetesSerialization();
  private static final int SPECS = Figure.times(800, 100_000);

  /** Fields of a pod spec that the compiler writes. All others are absent. */
  private static final Set<String> WRITTEN =
      Set.of(
          "activeDeadlineSeconds",
          "affinity",
          "automountServiceAccountToken",
          "containers",
          "enableServiceLinks",
          "hostname",
          "imagePullSecrets",
          "nodeName",
          "priorityClassName",
          "restartPolicy",
          "securityContext",
          "serviceAccountName",
          "subdomain",
          "terminationGracePeriodSeconds",
          "tolerations",
          "volumes");

  /**
   * GPU nodes, and nodes that Fairlead taints: a taint repels pods that Fairlead does not place.
   */
  private static final Set<String> TOLERATED = Set.of("nvidia.com/gpu", "fairlead.dev/quarantine");

  private static JsonNode json(Object object) {
    return KUBERNETES.convertValue(object, JsonNode.class);
  }

  /** Fails when a value of a spec reaches a field that determines the privileges of a pod. */
  @Tag(Figure.TAG)
  @Test
  void podsOfRandomSpecsMeetTheRestrictedStandard() {
    Set<String> met = new TreeSet<>();
    long pods = 0;
    for (int seed = 0; seed < SPECS; seed++) {
      RandomOrders random = new RandomOrders(new Random(seed));
      LaunchOrder order = random.order();
      ConfigMap anchor =
          ManifestFactory.anchored(order, ClusterSettings.DEFAULT)
              ? ManifestFactory.anchor(order)
              : null;
      for (Member member : order.attempt().members()) {
        JsonNode pod =
            json(ManifestFactory.pod(order, member, anchor, random.settings(), random.node()));
        List<String> wrong = wrong(pod);
        if (!wrong.isEmpty()) {
          fail("seed " + seed + ": " + wrong);
        }
        pod.path("spec").fieldNames().forEachRemaining(met::add);
        pods++;
      }
    }
    assertThat(met).as("each field is met").containsExactlyInAnyOrderElementsOf(WRITTEN);
    System.out.printf("security pods: %d pods of %d random specs, all restricted%n", pods, SPECS);
  }

  /** Returns the pod's violations of Pod Security and of Fairlead's own guarantees. */
  private static List<String> wrong(JsonNode pod) {
    List<String> wrong = new ArrayList<>(PodSecurity.broken(pod));
    JsonNode spec = pod.path("spec");
    spec.fieldNames().forEachRemaining(field -> rule(wrong, field, WRITTEN.contains(field)));
    rule(wrong, "account", spec.path("serviceAccountName").asText().equals("fairlead-job"));
    rule(wrong, "token", !spec.path("automountServiceAccountToken").asBoolean(true));
    rule(wrong, "one container", spec.path("containers").size() == 1);
    String priority = spec.path("priorityClassName").asText("fairlead-");
    rule(wrong, "priority class", priority.startsWith("fairlead-"));
    for (JsonNode toleration : spec.path("tolerations")) {
      rule(wrong, "toleration", TOLERATED.contains(toleration.path("key").asText()));
    }
    devices(wrong, spec.at("/containers/0"));
    secrets(wrong, spec);
    return wrong;
  }

  private static void rule(List<String> wrong, String name, boolean kept) {
    if (!kept) {
      wrong.add(name);
    }
  }

  /** Resource names known to quota. Without a request no GPU is visible. */
  private static void devices(List<String> wrong, JsonNode container) {
    boolean given = false;
    for (Map.Entry<String, JsonNode> limit : container.at("/resources/limits").properties()) {
      String name = limit.getKey();
      boolean gpu = name.startsWith("nvidia.com/");
      rule(wrong, "resource " + name, gpu || name.equals("memory") || name.equals("rdma/hca"));
      given |= gpu;
    }
    boolean hidden = false;
    for (JsonNode variable : container.path("env")) {
      hidden |=
          variable.path("name").asText().equals("NVIDIA_VISIBLE_DEVICES")
              && variable.path("value").asText().equals("void");
    }
    rule(wrong, "GPUs in sight", given || hidden);
  }

  /** Of the Secrets of its namespace it names only the Secret of its attempt. */
  private static void secrets(List<String> wrong, JsonNode spec) {
    Set<String> named = new TreeSet<>();
    spec.at("/containers/0/env")
        .findValues("secretKeyRef")
        .forEach(key -> named.add(key.path("name").asText()));
    spec.path("volumes").findValues("secretName").forEach(name -> named.add(name.asText()));
    rule(
        wrong,
        "secrets " + named,
        named.size() <= 1 && named.stream().allMatch(name -> name.startsWith("fl-")));
  }

  /** Fails when the checker misses a rule: the test above would then prove nothing. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/spec/hostNetwork                                        | true",
        "/spec/hostPID                                            | true",
        "/spec/hostIPC                                            | true",
        "/spec/securityContext/sysctls                            | [{\"name\":"
            + " \"kernel.msgmax\"}]",
        "/spec/securityContext/runAsNonRoot                       | false",
        "/spec/securityContext/runAsUser                          | 0",
        "/spec/securityContext/seccompProfile                     | {\"type\": \"Unconfined\"}",
        "/spec/securityContext/seLinuxOptions                     | {\"type\": \"spc_t\"}",
        "/spec/securityContext/appArmorProfile                    | {\"type\": \"Unconfined\"}",
        "/spec/securityContext/windowsOptions                     | {\"hostProcess\": true}",
        "/spec/volumes/0/hostPath                                 | {\"path\": \"/\"}",
        "/spec/volumes/0/nfs                                      | {\"path\": \"/\"}",
        "/spec/containers/0/securityContext/privileged            | true",
        "/spec/containers/0/securityContext/allowPrivilegeEscalation | true",
        "/spec/containers/0/securityContext/allowPrivilegeEscalation | null",
        "/spec/containers/0/securityContext/procMount             | \"Unmasked\"",
        "/spec/containers/0/securityContext/runAsNonRoot          | false",
        "/spec/containers/0/securityContext/runAsUser             | 0",
        "/spec/containers/0/securityContext/capabilities          | {\"drop\": [\"KILL\"]}",
        "/spec/containers/0/securityContext/capabilities          | {\"drop\": [\"ALL\"], \"add\":"
            + " [\"IPC_LOCK\"]}",
        "/spec/containers/0/securityContext/seccompProfile        | {\"type\": \"Unconfined\"}",
        "/spec/containers/0/ports                                 | [{\"hostPort\": 80}]",
        "/spec/containers/0/livenessProbe                         | {\"httpGet\": {\"host\":"
            + " \"10.0.0.1\"}}",
        "/spec/initContainers                                     | [{\"name\": \"a\"}]",
        "/spec/ephemeralContainers                                | [{\"name\": \"a\"}]",
        "/metadata/annotations/container.apparmor.security.beta.kubernetes.io~1main |"
            + " \"unconfined\""
      })
  void podWithMorePrivilegesIsDetected(String pointer, String value) throws IOException {
    LaunchOrder order = Orders.single();
    Member member = order.attempt().members().getFirst();
    JsonNode pod = json(ManifestFactory.pod(order, member, null, ClusterSettings.DEFAULT, null));
    assertThat(PodSecurity.broken(pod)).isEmpty();
    int last = pointer.lastIndexOf('/');
    String field = pointer.substring(last + 1).replace("~1", "/");
    ObjectNode at = (ObjectNode) pod.at(pointer.substring(0, last));
    if (value.equals("null")) {
      at.remove(field);
    } else {
      at.set(field, JSON.readTree(value));
    }
    assertThat(PodSecurity.broken(pod)).isNotEmpty();
  }
}
