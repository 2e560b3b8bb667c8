package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.RichSpec;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.launcher.Launcher;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.ExtraContainers;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MemberEnvironmentTest {
  @Test
  void torchrunReceivesItsRankInAGang() {
    LaunchOrder order = order("torchrun", role("worker", 4, GpuRequest.whole(8)));
    String master =
        "worker-0." + ObjectNames.attempt(order.attempt().id()) + ".fairlead-nlp.svc.cluster.local";
    assertThat(environment(order, 3))
        .containsEntry("NNODES", "4")
        .containsEntry("NODE_RANK", "3")
        .containsEntry("WORLD_SIZE", "32")
        .containsEntry("MASTER_ADDR", master)
        .containsEntry("MASTER_PORT", "29500")
        .containsEntry("PET_NNODES", "4")
        .containsEntry("PET_NODE_RANK", "3")
        .containsEntry("PET_NPROC_PER_NODE", "8")
        .containsEntry("PET_MASTER_ADDR", master)
        .containsEntry("PET_MASTER_PORT", "29500")
        .doesNotContainKeys("NVIDIA_VISIBLE_DEVICES", "TORCH_DISABLE_SHARE_RDZV_TCP_STORE");
    assertThat(environment(order, 0))
        .containsEntry("NODE_RANK", "0")
        .containsEntry("MASTER_ADDR", master);
  }

  @Test
  void launcherArgumentsPrecedeTheCommandOnce() {
    List<String> torchrun = List.of("torchrun");
    assertThat(CommandSpec.shell("train.py --lr 1").after(torchrun))
        .isEqualTo(CommandSpec.shell("torchrun train.py --lr 1"));
    assertThat(CommandSpec.exec(List.of("train.py")).after(torchrun))
        .isEqualTo(CommandSpec.exec(List.of("torchrun", "train.py")));
    assertThat(CommandSpec.exec(List.of("torchrun", "train.py")).after(torchrun))
        .isEqualTo(CommandSpec.exec(List.of("torchrun", "train.py")));
    assertThat(CommandSpec.OF_IMAGE.after(torchrun)).isEqualTo(CommandSpec.OF_IMAGE);
    assertThat(CommandSpec.shell("solve").after(List.of("sh", "/a b")))
        .isEqualTo(CommandSpec.shell("sh '/a b' solve"));
  }

  @Test
  void setupRunsBeforeTheLauncherArguments() {
    CommandSpec prepared = CommandSpec.shell("train.py").preparedBy(List.of("make"));
    List<String> torchrun = List.of("torchrun");

    assertThat(prepared.after(torchrun))
        .isEqualTo(CommandSpec.shell("torchrun train.py").preparedBy(List.of("make")));
    assertThat(SetupScript.before(prepared.after(torchrun)).command())
        .startsWith("/bin/sh", "-c")
        .endsWith("/bin/sh", "-c", "torchrun train.py");
    assertThat(CommandSpec.exec(List.of("a")).preparedBy(List.of("b")).after(torchrun).setup())
        .containsExactly("b");
  }

  @Test
  void ranksFollowTheOrderOfTheRolesAndCountTheirProcesses() {
    LaunchOrder order =
        order(
            "torchrun",
            role("trainer", 2, GpuRequest.whole(8)),
            role("evaluator", 1, GpuRequest.NONE));
    assertThat(environment(order, 2))
        .containsEntry("NODE_RANK", "2")
        .containsEntry("WORLD_SIZE", "17")
        .containsEntry("PET_NPROC_PER_NODE", "1")
        .containsEntry("FAIRLEAD_ROLE", "evaluator")
        .containsEntry("NVIDIA_VISIBLE_DEVICES", "void");
    assertThat(environment(order, 2).get("MASTER_ADDR")).startsWith("trainer-0.");
  }

  @Test
  void singleMemberIsItsOwnMaster() {
    LaunchOrder order = order("torchrun", role("worker", 1, GpuRequest.fraction(250)));
    assertThat(environment(order, 0))
        .containsEntry("MASTER_ADDR", "localhost")
        .containsEntry("WORLD_SIZE", "1")
        .containsEntry("NNODES", "1");
  }

  @Test
  void everyJobReceivesItsIdentityAndTorchrunVariablesOnlyOnRequest() {
    LaunchOrder order = order(Launcher.NONE, role("worker", 2, GpuRequest.NONE));
    assertThat(environment(order, 1))
        .containsEntry("FAIRLEAD_JOB_ID", order.job().id().text())
        .containsEntry("FAIRLEAD_JOB_NAME", "job")
        .containsEntry("FAIRLEAD_ATTEMPT", "1")
        .containsEntry("FAIRLEAD_ROLE", "worker")
        .containsEntry("FAIRLEAD_INDEX", "1")
        .containsEntry("FAIRLEAD_ARRAY_INDEX", "0")
        .containsEntry("OWN", "value")
        .doesNotContainKeys("MASTER_ADDR", "WORLD_SIZE", "PET_NNODES");
  }

  /** Fails when a gang learns its size, ranks and addresses from torchrun's launcher only. */
  @Test
  void gangWithoutALauncherReceivesItsSizeRanksAndHosts() {
    LaunchOrder order =
        order(
            Launcher.NONE,
            role("trainer", 2, GpuRequest.whole(8)),
            role("evaluator", 1, GpuRequest.NONE));
    String gang = ObjectNames.attempt(order.attempt().id());
    String domain = gang + ".fairlead-nlp.svc.cluster.local";

    assertThat(environment(order, 2))
        .containsEntry("FAIRLEAD_MEMBERS", "3")
        .containsEntry("FAIRLEAD_RANK", "2")
        .containsEntry("FAIRLEAD_INDEX", "0")
        .containsEntry("FAIRLEAD_GPUS", "0")
        .containsEntry("FAIRLEAD_HEAD", "trainer-0." + domain)
        .containsEntry("FAIRLEAD_DOMAIN", domain)
        .containsEntry("FAIRLEAD_HOSTS_FILE", "/var/run/fairlead/hosts");
    assertThat(environment(order, 1)).containsEntry("FAIRLEAD_GPUS", "8");
    assertThat(MemberEnvironment.hosts(order.job(), order.attempt()))
        .isEqualTo(
            "trainer-0.%1$s slots=8\ntrainer-1.%1$s slots=8\nevaluator-0.%1$s slots=1\n"
                .formatted(gang));
  }

  /** Fails when a variable is set that the page for authors of programs does not list. */
  @Test
  void programPageListsEveryVariable() throws IOException {
    String page =
        Files.readString(
            Path.of(System.getProperty("fairlead.root", ".."))
                .resolve("docs/reference/program.md"));
    List<JobSpec> specs =
        List.of(
            Specs.job("job").workers(4).build(),
            Specs.job("job").workers(4).minWorkers(2).build(),
            RichSpec.withEverything("job"));
    for (JobSpec spec : specs) {
      assertThat(environment(order(spec), 0).keySet())
          .filteredOn(name -> name.startsWith("FAIRLEAD_"))
          .allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
    }
  }

  @Test
  void singleMemberIsItsOwnHead() {
    assertThat(environment(order(Launcher.NONE, role("worker", 1, GpuRequest.NONE)), 0))
        .containsEntry("FAIRLEAD_MEMBERS", "1")
        .containsEntry("FAIRLEAD_RANK", "0")
        .containsEntry("FAIRLEAD_HEAD", "localhost")
        .doesNotContainKeys("FAIRLEAD_DOMAIN", "FAIRLEAD_HOSTS_FILE", "FAIRLEAD_ARRAY_SIZE");
  }

  /** Fails when a gang with changing members gets ranks that become wrong. */
  @Test
  void elasticGangGetsNoRanks() {
    LaunchOrder elastic = order(Specs.job("job").workers(4).minWorkers(2).build());

    assertThat(environment(elastic, 3))
        .containsEntry("FAIRLEAD_MAX_MEMBERS", "4")
        .doesNotContainKeys("FAIRLEAD_MEMBERS", "FAIRLEAD_RANK", "FAIRLEAD_HOSTS_FILE");
    assertThat(environment(elastic, 3).get("FAIRLEAD_HEAD")).startsWith("worker-0.");
    assertThat(environment(order(Specs.job("job").workers(4).repaired(2).build()), 3))
        .containsEntry("FAIRLEAD_MEMBERS", "4")
        .doesNotContainKeys("FAIRLEAD_RANK", "FAIRLEAD_HOSTS_FILE");
  }

  /** Fails when a survivor retains its rank by index, or gives up before the replacement joins. */
  @Test
  void membersOfARepairedGangAgreeOnTheirRanks() {
    JobSpec spec = Specs.job("job").workers(4).repaired(2).build();
    LaunchOrder order = order(spec);

    assertThat(environment(order, 3))
        .containsEntry("PET_NNODES", "4:4")
        .containsEntry("PET_RDZV_BACKEND", "c10d")
        .containsEntry("PET_RDZV_CONF", "join_timeout=3600")
        .containsEntry("PET_MAX_RESTARTS", "6")
        .containsEntry("TORCH_DISABLE_SHARE_RDZV_TCP_STORE", "1")
        .doesNotContainKeys("NODE_RANK", "PET_NODE_RANK", "WORLD_SIZE", "FAIRLEAD_MAX_MEMBERS");
    assertThat(environment(order, 3).get("PET_RDZV_ENDPOINT")).startsWith("worker-0.");
  }

  private static SortedMap<String, String> environment(LaunchOrder order, int member) {
    Member of = order.attempt().members().get(member);
    return MemberEnvironment.of(
        order.job(),
        order.attempt(),
        of,
        order.project().namespace(),
        order.capabilities().clusterDomain());
  }

  private static LaunchOrder order(String launcher, RoleSpec... roles) {
    JobSpec s = Specs.job("job").build();
    JobSpec spec =
        s.with()
            .roles(List.of(roles))
            .launcher(launcher)
            .maxRuntime(null)
            .notBefore(null)
            .deadline(null)
            .array(null)
            .build();
    return order(spec);
  }

  private static LaunchOrder order(JobSpec spec) {
    return new LaunchOrders(new SeededIds(1), new Installation(new UUID(1, 2), 1), "nlp")
        .order(
            1, spec, List.of(node("a"), node("b"), node("c"), node("d")), Capabilities.UNOBSERVED);
  }

  private static RoleSpec role(String name, int count, GpuRequest gpu) {
    SortedMap<String, String> env = new TreeMap<>();
    env.put("OWN", "value");
    return new RoleSpec(
        name,
        count,
        count,
        "image",
        CommandSpec.OF_IMAGE,
        env,
        new TreeMap<>(),
        gpu,
        1000,
        1024,
        64,
        false,
        null,
        ExtraContainers.NONE);
  }

  private static NodeReport node(String name) {
    List<Gpu> gpus =
        IntStream.range(0, 8)
            .mapToObj(i -> new Gpu(i, name + "/" + i, GpuState.HEALTHY, 0))
            .toList();
    return new NodeReport(
        name,
        true,
        false,
        false,
        false,
        "H100",
        81_559,
        ResourceVector.of(128_000, 1 << 20, 8000, 110),
        ResourceVector.ZERO,
        new TreeMap<>(),
        List.of(),
        new TreeMap<>(),
        "boot",
        gpus,
        List.of(),
        NodeLabelsAndTaints.NONE);
  }
}
