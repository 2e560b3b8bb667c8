package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.placement.decision.Decision;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A group divides 6 L40S between two queues of one weight on a fleet with other models. The first
 * queue uses all GPUs before the second queue submits as many jobs, so the second queue has to get
 * 3 back.
 */
class DividedFlavorsTest {
  private static final PreemptionRules FAIR =
      new PreemptionRules(PreemptionRules.WithinQueue.NEVER, PreemptionRules.Reclaim.ANY, true);
  private static final QuotaLimit NONE = gpus("L40S", CapacityType.RESERVED, 0);

  private final Scene scene = new Scene();
  private String[] accepted = {"L40S"};
  private int blueOnT4;

  private static QuotaLimit gpus(String model, CapacityType type, long nominal) {
    return new QuotaLimit(new Flavor(model, type), "gpu", nominal * 1000, null, null);
  }

  private int reclaimed(QuotaLimit[] group, QuotaLimit... child) {
    return reclaimed(scene.group("org", group), child);
  }

  /** Number of jobs that the first queue loses once the second queue requests 6 GPUs as well. */
  private int reclaimed(QuotaNodeId group, QuotaLimit... child) {
    scene.divides(group);
    scene.cluster("l40s").nodes(6, 1, "L40S");
    scene.cluster("h100").nodes(6, 1, "H100");
    QuotaNodeId red = queue("red", group, child);
    QuotaNodeId blue = queue("blue", group, child);
    for (int i = 0; i < 6; i++) {
      scene.jobs.add(job("red" + i, 100 + i, "red", red).gpus(1, "L40S"));
    }
    for (int i = 0; i < blueOnT4; i++) {
      scene.jobs.add(job("t4-" + i, 200 + i, "blue", blue).gpus(1, "T4"));
    }
    Story story = new Story(scene);
    assertThat(count(story, Decision.Place.class)).isEqualTo(6 + blueOnT4);
    story.pass(Duration.ofHours(1));
    for (int i = 0; i < 6; i++) {
      story.submit(job("blue" + i, 300 + i, "blue", blue).gpus(1, accepted).age(-1));
    }
    return count(story, Decision.Preempt.class);
  }

  private static JobBuilder job(String name, int number, String queue, QuotaNodeId id) {
    return new JobBuilder(name, number, id).queue(queue, id).capacity(CapacityType.RESERVED);
  }

  private QuotaNodeId queue(String name, QuotaNodeId group, QuotaLimit... limits) {
    QuotaNodeId id = scene.queue(name, group, QueueSettings.DEFAULT, limits);
    scene.preempts(id, FAIR);
    return id;
  }

  private static int count(Story story, Class<? extends Decision> kind) {
    return (int) story.plan().plan().decisions().stream().filter(kind::isInstance).count();
  }

  private static QuotaLimit[] with(String model, CapacityType type, long nominal) {
    return new QuotaLimit[] {gpus("L40S", CapacityType.RESERVED, 6), gpus(model, type, nominal)};
  }

  /** Fails when DeservedOrder adds the quota of all flavors up and divides the sum. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 3, 6})
  void quotaOfAMissingModelChangesNoShare(long other) {
    assertThat(reclaimed(with("B200", CapacityType.RESERVED, other), NONE)).isEqualTo(3);
  }

  /** Fails when the GPUs of all models of the fleet limit the divided quota. */
  @Test
  void idleGpusOfAnotherModelChangeNoShare() {
    scene.cluster("t4").nodes(6, 1, "T4");
    assertThat(reclaimed(with("T4", CapacityType.RESERVED, 6), NONE)).isEqualTo(3);
  }

  @Test
  void idleGpusOfAnotherCapacityTypeChangeNoShare() {
    scene.cluster("spot", ClusterState.ACTIVE, CapacityType.SPOT, false).nodes(6, 1, "L40S");
    assertThat(reclaimed(with("L40S", CapacityType.SPOT, 6), NONE)).isEqualTo(3);
  }

  @Test
  void lendableQuotaOfAnUnrelatedGroupChangesNoShare() {
    QuotaNodeId root = scene.group("root", NONE);
    QuotaNodeId org = scene.queue("org", root, null, with("T4", CapacityType.RESERVED, 0));
    QuotaNodeId _ = scene.queue("other", root, null, gpus("T4", CapacityType.RESERVED, 6));
    scene.cluster("t4").nodes(6, 1, "T4");
    assertThat(reclaimed(org, NONE)).isEqualTo(3);
  }

  @Test
  void childrenWithoutLimitsGetTheirShareOfEachModel() {
    assertThat(reclaimed(with("B200", CapacityType.RESERVED, 6))).isEqualTo(3);
  }

  @Test
  void childrenSharingOneGpuGetTheirShareOfEachModel() {
    QuotaLimit one = gpus("L40S", CapacityType.RESERVED, 1);
    QuotaLimit[] group = {
      gpus("L40S", CapacityType.RESERVED, 4), gpus("B200", CapacityType.RESERVED, 6)
    };
    assertThat(reclaimed(group, one)).isEqualTo(3);
  }

  /** Fails when EquivalenceClass.gpus counts only the flavor that a job tries first. */
  @Test
  void jobPreferringAnotherModelGetsItsShareOfTheSecondModel() {
    accepted = new String[] {"T4", "L40S"};
    scene.cluster("t4").nodes(1, 1, "T4");
    assertThat(reclaimed(with("T4", CapacityType.RESERVED, 0), NONE)).isEqualTo(3);
  }

  /** Fails when FairVictimSearch compares flavors that the job does not request. */
  @Test
  void queueOwningAndUsingAnotherModelGetsItsShareOfThisModel() {
    blueOnT4 = 4;
    scene.cluster("t4").nodes(4, 1, "T4");
    assertThat(reclaimed(with("T4", CapacityType.RESERVED, 4), NONE)).isEqualTo(3);
  }
}
