package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.health.quarantine.DomainQuarantineId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Explanations of jobs that wait for nodes of a quarantined rack. */
class QuarantinedDomainTest {
  private static final Instant END = Scene.NOW.plus(Duration.ofHours(2));
  private final Scene scene = new Scene();
  private final NodeBuilder nodes = scene.cluster("eu-1");

  private NodeBuilder rack(String rack, NodeState state, int count) {
    return nodes.rack(rack).state(state).nodes(count, 8, "H100");
  }

  private void quarantined(String level, String domain, @Nullable Instant until) {
    scene.domainQuarantines.add(
        new DomainQuarantine(
            new DomainQuarantineId(new UUID(6, scene.domainQuarantines.size())),
            scene.clusters.getFirst().id(),
            level,
            domain,
            "the pump of Olga leaks",
            "olga",
            Scene.NOW.minus(Duration.ofHours(1)),
            until,
            null,
            null,
            1));
  }

  private static boolean says(Scene.Planned plan, JobBuilder job) {
    return plan.why(job).blockers().stream().anyMatch(b -> b.reason() == Reason.QUARANTINED);
  }

  /**
   * Fails when the job does not show the domain, the number of nodes, the end and the next step.
   */
  @Test
  void explanationNamesTheDomainItsNodesItsEndAndTheNextStep() {
    rack("r1", NodeState.ACTIVE, 2);
    rack("r2", NodeState.QUARANTINED, 3);
    quarantined("rack", "r2", END);
    JobBuilder gang = scene.job("gang").gpus(8, "H100").gang(5);

    Scene.Planned plan = scene.plan();

    Blocker why = plan.first(gang);
    assertThat(why.reason()).isEqualTo(Reason.QUARANTINED);
    assertThat(why.message())
        .satisfies(
            reason(
                "quarantined-domain.rack-quarantined-utc-utc",
                "r2",
                "eu-1",
                "2026-03-01 11:00 UTC",
                "2026-03-01 14:00 UTC",
                3));
    assertThat(why.numbers())
        .containsEntry("domains", 1L)
        .containsEntry("nodes", 3L)
        .containsEntry("beganAtEpochSeconds", Scene.NOW.minusSeconds(3600).getEpochSecond())
        .containsEntry("endsAtEpochSeconds", END.getEpochSecond());
    assertThat(why.action())
        .isEqualTo(
            "wait until it ends, or an operator releases it (fairlead node release --cluster eu-1"
                + " --domain rack=r2 --reason ...)");
  }

  /** Fails when the comment of an operator is shown to a tenant. */
  @Test
  void commentOfTheOperatorIsNotShownToTenants() {
    rack("r2", NodeState.QUARANTINED, 1);
    quarantined("rack", "r2", null);
    JobBuilder job = scene.job("job").gpus(8, "H100");

    Scene.Planned plan = scene.plan();

    assertThat(plan.first(job).message())
        .satisfies(reason("quarantined-domain.until-released-nodes", 1));
    assertThat(plan.first(job).action()).startsWith("an operator releases it");
    assertThat(plan.first(job).numbers()).doesNotContainKey("endsAtEpochSeconds");
    assertThat(plan.why(job).toString()).doesNotContain("pump").doesNotContain("olga");
  }

  /** Fails when nodes out of service for other reasons are attributed to the domain. */
  @Test
  void noDomainIsReportedWithoutADomainQuarantine() {
    rack("r1", NodeState.CORDONED, 2);
    rack("r2", NodeState.QUARANTINED, 3);
    quarantined("rack", "r1", null);
    quarantined("block", "r2", null);
    JobBuilder gang = scene.job("gang").gpus(8, "H100").gang(2);

    assertThat(says(scene.plan(), gang)).isFalse();
  }

  /** Fails when the explanation names a domain whose release would not let the job start. */
  @Test
  void insufficientDomainIsNotNamed() {
    rack("r1", NodeState.ACTIVE, 1);
    rack("r2", NodeState.QUARANTINED, 3);
    nodes.used(8);
    rack("r3", NodeState.ACTIVE, 9);
    quarantined("rack", "r2", END);
    JobBuilder fits = scene.job("fits").gpus(8, "H100").gang(4);
    JobBuilder more = scene.job("more").gpus(8, "H100").gang(5);
    Scene.Planned plan = scene.plan();

    assertThat(says(plan, fits)).isTrue();
    assertThat(says(plan, more)).isFalse();
  }

  /** Fails when a domain is omitted because another cause excludes other nodes. */
  @Test
  void quarantinedDomainIsNamedWhenNoOtherNodeRemains() {
    rack("r1", NodeState.UNREACHABLE, 4);
    rack("r2", NodeState.QUARANTINED, 3);
    quarantined("rack", "r2", END);
    JobBuilder gang = scene.job("gang").gpus(8, "H100").gang(5);

    assertThat(scene.plan().first(gang).message()).contains("rack r2 of eu-1", "3 of its nodes");
  }

  /** Fails when nodes of other jobs, tenants or clusters count. */
  @Test
  void onlyCurrentlyFittingNodesCount() {
    rack("r2", NodeState.QUARANTINED, 1).used(8).nodes(3, 8, "H100");
    nodes.used(0).pool("theirs", new TenantId(new UUID(9, 99))).nodes(4, 8, "H100");
    scene.cluster("eu-2").rack("r2").state(NodeState.QUARANTINED).nodes(5, 8, "H100");
    quarantined("rack", "r2", END);
    JobBuilder job = scene.job("job").gpus(8, "H100");

    assertThat(scene.plan().first(job).message()).contains("rack r2 of eu-1", ": 1 of its nodes");
  }

  /** Fails when nodes count whose taints repel all jobs. */
  @Test
  void nodesWithATaintOfOthersDoNotCount() {
    rack("r2", NodeState.QUARANTINED, 1).taint("dedicated", "NoSchedule").nodes(2, 8, "H100");
    quarantined("rack", "r2", END);
    JobBuilder job = scene.job("job").gpus(8, "H100");

    assertThat(scene.plan().first(job).message()).contains(": 1 of its nodes");
  }

  /** Fails when nodes of one model count for another model, although a gang cannot mix models. */
  @Test
  void nodesOfAnotherModelDoNotReplaceMissingNodes() {
    rack("r1", NodeState.ACTIVE, 2).used(8).nodes(2, 8, "H100");
    nodes.used(0).nodes(1, 8, "H200").used(8).nodes(2, 8, "H200");
    nodes.used(0).rack("r2").state(NodeState.QUARANTINED).nodes(1, 8, "H200");
    quarantined("rack", "r2", END);
    JobBuilder two = scene.job("two").gpus(8, "H200").gang(2);
    JobBuilder three = scene.job("three").gpus(8).gang(3);

    Scene.Planned plan = scene.plan();

    assertThat(says(plan, two)).isTrue();
    assertThat(says(plan, three)).isFalse();
  }

  /** Fails when nodes of other racks count for a rack that must hold the whole gang. */
  @Test
  void singleRackJobNamesTheQuarantinedRackThatWouldFit() {
    rack("r1", NodeState.ACTIVE, 2);
    rack("r2", NodeState.QUARANTINED, 4);
    rack("r3", NodeState.QUARANTINED, 4);
    quarantined("rack", "r2", END);
    quarantined("rack", "r3", END);
    JobBuilder fits = scene.job("fits").gpus(8, "H100").gang(4).inOne("rack");
    JobBuilder more = scene.job("more").gpus(8, "H100").gang(5).inOne("rack");

    Scene.Planned plan = scene.plan();

    assertThat(says(plan, fits)).isTrue();
    assertThat(plan.first(more).reason()).isEqualTo(Reason.NEVER_FITS);
    scene.jobs.clear();
    nodes.rack("r4").state(NodeState.ACTIVE).used(8).nodes(5, 8, "H100");
    JobBuilder waits = scene.job("waits").gpus(8, "H100").gang(5).inOne("rack");
    assertThat(says(scene.plan(), waits)).isFalse();
  }

  /** Fails when the explanation of a job that waits only for quota mentions racks. */
  @Test
  void jobWaitingForQuotaReportsNoRacks() {
    rack("r1", NodeState.ACTIVE, 2);
    rack("r2", NodeState.QUARANTINED, 2);
    quarantined("rack", "r2", END);
    QuotaNodeId small =
        scene.queue(
            "small",
            null,
            QueueSettings.DEFAULT,
            new QuotaLimit(new Flavor("H100", CapacityType.RESERVED), "gpu", 8000L, 0L, null));
    scene.job("first").queue("small", small).gpus(8, "H100");
    JobBuilder second = scene.job("second").queue("small", small).gpus(8, "H100");

    Scene.Planned plan = scene.plan();

    assertThat(plan.first(second).reason()).isEqualTo(Reason.QUOTA);
    assertThat(says(plan, second)).isFalse();
  }

  /**
   * Fails when all domains are named, domains with few nodes come first, or a node in two domains
   * counts twice.
   */
  @Test
  void threeDomainsAreNamedAndTheOthersCounted() {
    for (int rack = 1; rack <= 5; rack++) {
      rack("r" + rack, NodeState.QUARANTINED, rack);
      quarantined("rack", "r" + rack, null);
    }
    quarantined("zone", "eu-1-z", END);
    JobBuilder gang = scene.job("gang").gpus(8, "H100").gang(15);

    Blocker why = scene.plan().first(gang);

    assertThat(why.message())
        .matches(
            "zone eu-1-z of eu-1 .*: 15 of its nodes could take it; rack r5 of eu-1 .*: 5 of its"
                + " nodes could take it; rack r4 of eu-1 .*; and 3 more quarantined domains")
        .doesNotContain("rack r3");
    assertThat(why.numbers()).containsEntry("domains", 6L).containsEntry("nodes", 15L);
  }

  /** Fails when the nodes of a fleet are scanned again for each class of jobs. */
  @Test
  void nodesAreScannedOnceForAllClassesOfACycle() {
    rack("r1", NodeState.ACTIVE, 10);
    rack("r2", NodeState.QUARANTINED, 2);
    quarantined("rack", "r2", END);
    List<JobBuilder> classes = new ArrayList<>();
    for (int cpu = 1; cpu <= 20; cpu++) {
      classes.add(scene.job("job-" + cpu).gpus(8, "H100").cpu(cpu).gang(12));
    }
    Counted counted = new Counted(scene.domainQuarantines);

    Plan plan =
        new SchedulingEngine()
            .plan(
                new Snapshot(
                    scene.world().toBuilder().domainQuarantines(counted).build(),
                    List.of(),
                    1_000_000_000));

    assertThat(plan.explanations().values())
        .hasSize(classes.size())
        .allMatch(why -> why.first().reason() == Reason.QUARANTINED);
    assertThat(counted.read).isEqualTo(1);
  }

  /** Returns the number of reads. */
  private static final class Counted extends AbstractList<DomainQuarantine> {
    private final List<DomainQuarantine> all;
    private int read;

    Counted(List<DomainQuarantine> all) {
      this.all = all;
    }

    @Override
    public DomainQuarantine get(int index) {
      return all.get(index);
    }

    @Override
    public int size() {
      return all.size();
    }

    @Override
    public Iterator<DomainQuarantine> iterator() {
      read++;
      return all.iterator();
    }
  }
}
