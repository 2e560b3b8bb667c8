package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.workload.LaunchOrder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a process gets of the words of its job, after a kubelet has expanded them. */
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

  /** Fails when any dollar is not doubled: Kubernetes makes one of every two. */
  @Test
  void everyWordOfAJobReachesItsProcessAsItWasWritten() {
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

  /** Fails when the test's own expansion expands nothing: then it could not tell. */
  @Test
  void aKubeletExpandsWhatIsNotDoubled() {
    assertThat(expand("$$(HF_TOKEN)")).isEqualTo("$(HF_TOKEN)");
    assertThat(expand("$$$(HF_TOKEN)")).isEqualTo("$secret");
    assertThat(expand("echo $$")).isEqualTo("echo $");
    assertThat(expand("$(date)")).isEqualTo("$(date)");
  }

  /** Fails when a pod asks for a name under which its node offers nothing. */
  @Test
  void aPodAsksForSlicesUnderTheNameThatItsNodeOffers() {
    assertThat(limits(Orders.SLICES)).containsEntry("nvidia.com/gpu", new Quantity("2"));
    assertThat(limits(Orders.PARTS)).containsEntry("nvidia.com/mig-1g.10gb", new Quantity("2"));
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
    SortedMap<String, String> env = new TreeMap<>();
    for (int i = 0; i < words.size(); i++) {
      env.put("WORD_" + i, words.get(i));
    }
    RoleSpec role = Orders.role(1, GpuRequest.NONE);
    RoleSpec wordy =
        new RoleSpec(
            role.name(),
            role.count(),
            role.minCount(),
            role.image(),
            new CommandSpec(words, words, false),
            env,
            role.secretEnv(),
            role.gpu(),
            role.cpuMilli(),
            role.memoryMiB(),
            role.shmMiB(),
            role.rdma(),
            role.topology());
    LaunchOrder order = Orders.of(wordy);
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
