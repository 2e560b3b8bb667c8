package dev.fairlead.work.workload.kubernetes.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.kubernetes.Orders;
import dev.fairlead.work.workload.kubernetes.VariableExpansion;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The arguments that a process gets from its job's spec, after expansion by a kubelet. */
class PodSpecsTest {
  private static final List<String> WORDS =
      List.of(
          "$$",
          "$$(HF_TOKEN)",
          "$$$",
          "$(date)",
          "$",
          "$(",
          "$((1+1))",
          "echo $$ > /tmp/pid.$$",
          "pa$$word",
          "$$$(HF_TOKEN)",
          "a$",
          "$(HF_TOKEN",
          "100 $",
          "");

  /** Fails when any dollar is not doubled: Kubernetes reduces every two to one. */
  @Test
  void argumentsReachTheProcessUnchanged() {
    List<String> words = new ArrayList<>(WORDS);
    Random random = new Random(11);
    for (int i = 0; i < 2_000; i++) {
      StringBuilder word = new StringBuilder();
      random.ints(random.nextInt(12), 0, 6).forEach(c -> word.append("$()aB\n".charAt(c)));
      words.add(word.toString());
    }
    Container container = container(words);
    assertThat(expanded(container.getCommand())).isEqualTo(words);
    assertThat(expanded(container.getArgs())).isEqualTo(words);
    for (int i = 0; i < words.size(); i++) {
      assertThat(expand(value(container, "WORD_" + i))).isEqualTo(words.get(i));
    }
  }

  /**
   * Fails when a kubelet expands a value, or when the anchor of the attempt depends on the value.
   */
  @Test
  void outputsReachTheProcessAsReported() {
    String reference = "${outputs.prep.model}";
    String value = "$(HF_TOKEN)\n$$ \u00e9" + "x".repeat(60_000);
    LaunchOrder plain = Orders.order(Specs.job("train").env("MODEL", reference).build());
    LaunchOrder order = LaunchOrders.resolving(plain, reference, value);
    Container container =
        main(
            ManifestFactory.pod(
                order, order.attempt().members().getFirst(), null, ClusterSettings.DEFAULT, null));
    assertThat(expand(value(container, "MODEL"))).isEqualTo(value);
    assertThat(ManifestFactory.anchor(order)).isEqualTo(ManifestFactory.anchor(plain));
    Container worded =
        container(LaunchOrders.resolving(ordered(List.of("a", reference)), reference, value));
    assertThat(expanded(worded.getCommand())).containsExactly("a", value);
    assertThat(expanded(worded.getArgs())).containsExactly("a", value);
  }

  /** Fails when the test's own expansion expands nothing: the comparison would be empty. */
  @Test
  void undoubledDollarsAreExpandedByAKubelet() {
    assertThat(expand("$$(HF_TOKEN)")).isEqualTo("$(HF_TOKEN)");
    assertThat(expand("$$$(HF_TOKEN)")).isEqualTo("$secret");
    assertThat(expand("echo $$")).isEqualTo("echo $");
    assertThat(expand("$(date)")).isEqualTo("$(date)");
  }

  /** Fails when a pod requests a resource name that its node does not offer. */
  @Test
  void podRequestsSlicesByTheResourceNameOfItsNode() {
    assertThat(limits(Orders.SLICES)).containsEntry("nvidia.com/gpu", new Quantity("2"));
    assertThat(limits(Orders.PARTS)).containsEntry("nvidia.com/mig-1g.10gb", new Quantity("2"));
  }

  /** Fails when a pod without a responding server gets requests, or a user's pod gets a Service. */
  @Test
  void theFirstMemberOfAReplicaHasAPortAndAProbeAndTheLabelsOfItsService() {
    ModelServiceId service = new ModelServiceId(new UUID(1, 2));
    SortedMap<String, String> annotations = new TreeMap<>();
    annotations.put(ServiceVersion.OF_SERVICE, service.bare());
    annotations.put(ServiceVersion.OF_VERSION, "3");
    annotations.put(ServiceVersion.PORT, "9000");
    Pod open = replica(annotations);
    assertThat(main(open).getPorts()).hasSize(1);
    assertThat(port(open).getName()).isEqualTo("serve");
    assertThat(port(open).getContainerPort()).isEqualTo(9000);
    assertThat(main(open).getReadinessProbe().getTcpSocket().getPort().getStrVal())
        .isEqualTo("serve");
    assertThat(open.getMetadata().getLabels())
        .containsEntry("fairlead.dev/service", service.bare())
        .containsEntry("fairlead.dev/service-version", "3");
    annotations.put(ServiceVersion.READY_PATH, "/health");
    assertThat(main(replica(annotations)).getReadinessProbe().getHttpGet().getPath())
        .isEqualTo("/health");
    assertThat(replica(new TreeMap<>()).getMetadata().getLabels())
        .doesNotContainKey("fairlead.dev/service");
    assertThat(main(replica(new TreeMap<>())).getReadinessProbe()).isNull();
  }

  private static Pod replica(SortedMap<String, String> annotations) {
    Specs spec = Specs.job("chat-v3-0");
    annotations.forEach(spec::annotation);
    LaunchOrder order = Orders.order(spec.build());
    return ManifestFactory.pod(
        order, order.attempt().members().getFirst(), null, ClusterSettings.DEFAULT, null);
  }

  private static Container main(Pod pod) {
    return pod.getSpec().getContainers().getFirst();
  }

  private static ContainerPort port(Pod pod) {
    return main(pod).getPorts().getFirst();
  }

  private static Map<String, Quantity> limits(NodeReport node) {
    LaunchOrder order = Orders.mig();
    return PodSpecs.of(
            order,
            order.attempt().members().getFirst(),
            ClusterSettings.DEFAULT,
            node,
            new java.util.TreeSet<>())
        .getContainers()
        .getFirst()
        .getResources()
        .getLimits();
  }

  private static Container container(List<String> words) {
    return container(ordered(words));
  }

  private static LaunchOrder ordered(List<String> words) {
    SortedMap<String, String> env = new TreeMap<>();
    for (int i = 0; i < words.size(); i++) {
      env.put("WORD_" + i, words.get(i));
    }
    RoleSpec role = Orders.role(1, GpuRequest.NONE);
    RoleSpec wordy = role.with().command(new CommandSpec(words, words, false)).env(env).build();
    return Orders.of(wordy);
  }

  private static Container container(LaunchOrder order) {
    return PodSpecs.of(
            order,
            order.attempt().members().getFirst(),
            ClusterSettings.DEFAULT,
            null,
            new java.util.TreeSet<>())
        .getContainers()
        .getFirst();
  }

  private static String value(Container container, String name) {
    return container.getEnv().stream()
        .filter(e -> e.getName().equals(name))
        .map(EnvVar::getValue)
        .findFirst()
        .orElseThrow();
  }

  private static List<String> expanded(List<String> words) {
    return words.stream().map(PodSpecsTest::expand).toList();
  }

  private static String expand(String word) {
    return VariableExpansion.expand(
        word, name -> name.equals("HF_TOKEN") ? "secret" : "$(" + name + ")");
  }
}
