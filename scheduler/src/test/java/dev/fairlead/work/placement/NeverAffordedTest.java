package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.explanation.ReasonClass;
import dev.fairlead.work.spec.PriorityClass;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A job that requests more than its queue could ever have. */
class NeverAffordedTest {
  private final Scene scene = new Scene();

  private static QuotaLimit gpus(String model, long nominal, Long borrowing, Long lending) {
    Flavor flavor = new Flavor(model, CapacityType.RESERVED);
    return new QuotaLimit(flavor, "gpu", nominal * 1000, milli(borrowing), milli(lending));
  }

  private static Long milli(Long gpus) {
    return gpus == null ? null : Long.valueOf(gpus * 1000);
  }

  private QuotaNodeId queue(String name, QuotaNodeId parent, QuotaLimit... limits) {
    return scene.queue(name, parent, QueueSettings.DEFAULT, limits);
  }

  @Test
  void explanationNamesTheQueueMaximumAndTheResponsibleRole() {
    scene.cluster("eu-1").nodes(8, 8, "H100");
    QuotaNodeId team = queue("team", null, gpus("H100", 32, null, null));
    JobBuilder job = scene.job("job").queue("team", team).gang(8).gpus(8, "H100");

    Blocker first = scene.plan().first(job);

    assertThat(first.reason()).isEqualTo(Reason.NEVER_FITS);
    assertThat(first.reason().reasonClass()).isEqualTo(ReasonClass.USER_ACTION);
    assertThat(first.message())
        .satisfies(reason("never-afforded.needs-gpu-queue-team", 64, "H100/RESERVED", "team", 32));
    assertThat(first.numbers())
        .containsEntry("neededMilli", 64_000L)
        .containsEntry("mostMilli", 32_000L);
    assertThat(first.action()).satisfies(reason("never-afforded.ask-less-administrator-raises"));
    assertThat(scene.plan().why(job).blockers()).hasSize(1);
    assertThat(scene.plan().why(job).estimate()).isNull();
  }

  /** Fails when current usage counts, which shrinks as other jobs end. */
  @Test
  void currentUseByOthersIsNotAReasonToFail() {
    scene.cluster("eu-1").nodes(8, 8, "H100");
    QuotaNodeId org = scene.group("org");
    QuotaNodeId team = queue("team", org, gpus("H100", 16, null, null));
    QuotaNodeId other = queue("other", org, gpus("H100", 16, null, null));
    scene.uses.addAll(QuotaWorld.used(scene.quotas, java.util.Map.of(other, 16L)));
    JobBuilder job = scene.job("job").queue("team", team).gang(4).gpus(8, "H100");

    assertThat(scene.plan().first(job).reason()).isEqualTo(Reason.QUOTA);
  }

  @Test
  void unlentQuotaIsNeverAvailable() {
    scene.cluster("eu-1").nodes(8, 8, "H100");
    QuotaNodeId org = scene.group("org");
    QuotaNodeId team = queue("team", org, gpus("H100", 16, null, null));
    queue("other", org, gpus("H100", 16, null, 8L));
    JobBuilder job = scene.job("job").queue("team", team).gang(4).gpus(8, "H100");

    assertThat(scene.plan().first(job).message())
        .satisfies(
            reason(
                "never-afforded.needs-gpu-queue-team-2", 32, "H100/RESERVED", "team", 24, "org"));
  }

  @Test
  void nonPreemptibleJobReportsNominalQuota() {
    scene.cluster("eu-1").nodes(8, 8, "H100");
    QuotaNodeId org = scene.group("org", gpus("H100", 64, null, null));
    QuotaNodeId team = queue("team", org, gpus("H100", 8, null, null));
    JobBuilder job =
        scene.job("job").queue("team", team).priority(PriorityClass.HIGH).gang(2).gpus(8, "H100");

    Scene.Planned plan = scene.plan();

    assertThat(plan.first(job).message())
        .satisfies(reason("never-afforded.needs-gpu-queue-team-3", 16, "H100/RESERVED", "team", 8));
    assertThat(plan.why(job).nearMisses())
        .extracting(miss -> miss.field())
        .contains("preemption.allowed");
  }

  /** Fails when NeverAfforded considers only the current assignments. */
  @Test
  void clusterOutOfServiceMayFitTheJobLater() {
    scene.cluster("eu-1").nodes(4, 8, "A100");
    scene
        .cluster("us-2", ClusterState.UNREACHABLE, CapacityType.RESERVED, false)
        .nodes(4, 8, "H100");
    QuotaNodeId team =
        queue("team", null, gpus("H100", 32, null, null), gpus("A100", 8, null, null));
    JobBuilder job = scene.job("job").queue("team", team).gang(4).gpus(8);

    assertThat(scene.plan().why(job).blockers())
        .extracting(Blocker::reason)
        .containsExactly(Reason.QUOTA, Reason.CLUSTER_UNAVAILABLE);
  }

  @Test
  void clusterWithoutANodeReportMayHaveAnotherModel() {
    scene.cluster("eu-1").nodes(4, 8, "A100");
    scene.cluster("new");
    QuotaNodeId team = queue("team", null, gpus("A100", 8, null, null));
    JobBuilder job = scene.job("job").queue("team", team).gang(4).gpus(8);

    assertThat(scene.plan().first(job).reason()).isEqualTo(Reason.QUOTA);
  }

  @Test
  void elasticGangIsJudgedByItsMinimumSize() {
    scene.cluster("eu-1").nodes(8, 8, "H100");
    QuotaNodeId team = queue("team", null, gpus("H100", 16, null, null));
    JobBuilder job = scene.job("job").queue("team", team).elastic(2, 8).gpus(8, "H100");

    assertThat(scene.plan().starts(job)).isTrue();
  }

  /** Fails when only jobs that fit on no node are skipped: the others would wait forever. */
  @Test
  void noJobBehindItInAStrictQueueWaits() {
    scene.cluster("eu-1").nodes(8, 8, "H100");
    QuotaNodeId team = scene.queue("team", null, Scene.strict(), gpus("H100", 16, null, null));
    JobBuilder head = scene.job("head").queue("team", team).age(100).gang(4).gpus(8, "H100");
    List<JobBuilder> behind =
        List.of(
            scene.job("one").queue("team", team).age(50).gpus(8, "H100"),
            scene.job("two").queue("team", team).age(10).gpus(8, "H100"));

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(head)).isFalse();
    assertThat(behind).allMatch(plan::starts);
  }
}
