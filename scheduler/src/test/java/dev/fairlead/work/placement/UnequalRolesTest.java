package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.member.Member;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Gangs of roles with different numbers of GPUs on nodes with different numbers of free GPUs. */
class UnequalRolesTest {
  private final Scene scene = new Scene();
  private final NodeBuilder nodes = scene.cluster("eu-1");

  /** Fails when GangPlacer does not try RolePacking after its own layouts. */
  @ParameterizedTest
  @CsvSource({
    "7 5, 4 3 3 2",
    "7 5, 3 3 2 2 2",
    "7 5, 5 4 3",
    "7 6 5, 4 4 3 3 2 2",
    "7 6 5, 4 4 3 3 3",
    "7 6 5, 4 4 3 3 3 1",
    "7 6 5, 5 5 4 2 2",
    "7 6 5, 6 3 3 2 2 2",
    "7 6 5, 6 4 3 3 2",
    "7 6 5, 7 6 5",
    "5 4 3, 3 3 2 2 2",
    "5 4 3, 5 4 3"
  })
  void fittingGangStarts(String free, String members) {
    free(free);
    JobBuilder job = gang(members);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(job)).isTrue();
    plan.places(job).getFirst().members().stream()
        .collect(Collectors.groupingBy(Member::nodeName, Collectors.summingLong(Member::gpuMilli)))
        .forEach((node, milli) -> assertThat(milli).isLessThanOrEqualTo(1000L * gpusOf(node)));
  }

  /** Fails when RolePacking considers all nodes and not only those of one rack. */
  @Test
  void gangThatFitsOneRackStartsThere() {
    nodes.rack("a").used(4).nodes(2, 8, "H100").used(0).rack("b");
    free("7 6 5");
    JobBuilder job = gang("4 4 3 3 3").inOne("rack");

    assertThat(scene.plan().starts(job)).isTrue();
  }

  /** Fails when the places of roles without GPUs are not part of the search. */
  @Test
  void roleWithoutGpusFindsCpuNextToTheOthers() {
    free("7 5");
    JobBuilder job = gang("4 3 3 2").thenRole("loader").cpu(1);

    assertThat(scene.plan().starts(job)).isTrue();
  }

  /** Fails when RolePacking reports a truncated search although it tried every layout. */
  @Test
  void gangWithEveryLayoutTriedReportsIncompatibleRoles() {
    free("5 5");
    JobBuilder job = gang("4 3 3");

    assertThat(scene.plan().first(job).message())
        .satisfies(reason("unequal-roles.roles-fit-one-one"));
  }

  /** Fails when the explanation ignores that the search was truncated. */
  @Test
  void gangBeyondTheSearchBoundReportsThatNoLayoutWasFound() {
    nodes.nodes(65, 5, "H100");
    JobBuilder job = gang("4 ".repeat(33) + "3 ".repeat(33));

    assertThat(scene.plan().first(job).message())
        .satisfies(reason("unequal-roles.roles-fit-one-one-2"));
  }

  private void free(String gpus) {
    Arrays.stream(gpus.split(" ")).forEach(each -> nodes.nodes(1, Integer.parseInt(each), "H100"));
  }

  private int gpusOf(String node) {
    return scene.nodes.stream()
        .filter(n -> n.name().equals(node))
        .mapToInt(n -> n.gpus().size())
        .sum();
  }

  /** One role for each number of GPUs. */
  private JobBuilder gang(String members) {
    SortedMap<Integer, Long> counts =
        Arrays.stream(members.split(" "))
            .map(Integer::valueOf)
            .collect(Collectors.groupingBy(g -> g, TreeMap::new, Collectors.counting()));
    JobBuilder job = scene.job("job").age(100);
    counts.forEach((gpus, count) -> {
      JobBuilder role = gpus.equals(counts.firstKey()) ? job : job.thenRole("gpus-" + gpus);
      role.gang(Math.toIntExact(count)).gpus(gpus, "H100").cpu(1);
    });
    return job;
  }
}
