package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.spec.PriorityClass;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The place of a member that replaces one that a fault took from a gang of fixed size. */
class GangRepairPlanTest {
  private final Scene scene = new Scene();
  private QuotaNodeId queue;
  private int made;

  @BeforeEach
  void aQueue() {
    queue = scene.queue("team", null, QueueSettings.DEFAULT);
  }

  private JobBuilder job(String name, int members) {
    return new JobBuilder(name, ++made, queue).gang(members).gpus(8).queue("team", queue).age(60);
  }

  private Story runs(JobBuilder gang, String spares, int nodes) {
    scene
        .cluster("eu-1")
        .pool("research", null, Spares.parse(spares).orElseThrow())
        .nodes(nodes, 8, "H100");
    scene.jobs.add(gang);
    Story story = new Story(scene);
    story.plan();
    assertThat(story.staying(gang)).containsExactly("eu-1-n001", "eu-1-n002", "eu-1-n003");
    return story;
  }

  /** Fails when the spare is not lent, or when others get it first. */
  @Test
  void replacementUsesASpareBeforeAllWaitingJobs() {
    JobBuilder gang = job("gang", 3).repaired(1);
    JobBuilder rival = job("rival", 1).priority(PriorityClass.HIGH);
    Story story = runs(gang, "1 per 4", 4).takesMember(gang, "eu-1-n002");

    Scene.Planned planned = story.submit(rival).plan();

    assertThat(planned.starts(rival)).isFalse();
    assertThat(story.staying(gang)).containsExactly("eu-1-n001", "eu-1-n003", "eu-1-n004");
    assertThat(story.plan().places()).as("it lacks none any more").isEmpty();
    assertThat(story.members(gang)).isEqualTo(4);
  }

  /** Fails when it returns to the machine that failed the previous attempt. */
  @Test
  void replacementAvoidsTheNodeOfTheReplacedMember() {
    JobBuilder gang = job("gang", 3).repaired(1);
    Story story = runs(gang, "0 per 1", 3).takesMember(gang, "eu-1-n002").shrinks(gang);
    story.heals("eu-1-n002").plan();

    assertThat(story.staying(gang)).containsExactly("eu-1-n001", "eu-1-n003");
  }

  /**
   * Fails when the queue limit does not apply to the replacement while the faulty member still
   * counts.
   */
  @Test
  void replacementCountsInTheQuotaUntilTheReplacedMemberIsGone() {
    JobBuilder gang = job("gang", 3).repaired(1);
    Story story = runs(gang, "0 per 1", 4);
    story.limits(
        queue, new QuotaLimit(new Flavor("H100", CapacityType.RESERVED), "gpu", 24_000L, 0L, null));
    story.takesMember(gang, "eu-1-n002").plan();
    assertThat(story.staying(gang)).hasSize(2);

    story.shrinks(gang).plan();

    assertThat(story.staying(gang)).containsExactly("eu-1-n001", "eu-1-n003", "eu-1-n004");
  }

  /** Fails when it is outside the block of the other members. */
  @Test
  void replacementStaysInTheRequiredBlock() {
    scene.cluster("eu-1").block("b1").nodes(3, 8, "H100").block("b2").nodes(2, 8, "H100");
    JobBuilder gang = job("gang", 3).repaired(1).inOne("block");
    scene.jobs.add(gang);
    Story story = new Story(scene);
    story.plan();

    story.takesMember(gang, "eu-1-n002").plan();

    assertThat(story.staying(gang)).containsExactly("eu-1-n001", "eu-1-n003");
  }

  /**
   * Fails when the capacity of the departed member is not reserved: other jobs get its share of the
   * quota.
   */
  @Test
  void gangWithoutAReplacementRestartsInFull() {
    scene.cluster("eu-2").nodes(1, 8, "H100");
    JobBuilder gang = job("gang", 3).repaired(1).on("eu-1");
    JobBuilder rival = job("rival", 1).priority(PriorityClass.HIGH).on("eu-2");
    Story story = runs(gang, "0 per 1", 3);
    story.takesMember(gang, "eu-1-n002").shrinks(gang).faults(gang, "eu-1-n002").leaves(gang);
    assertThat(story.plan().first(gang).message())
        .satisfies(reason("gang-repair-plan.lost-node-fault-node", 2, 3));

    story.limits(
        queue, new QuotaLimit(new Flavor("H100", CapacityType.RESERVED), "gpu", 24_000L, 0L, null));
    Scene.Planned full = story.submit(rival).plan();
    assertThat(full.starts(rival)).isFalse();
    assertThat(full.why(rival).blockers().toString()).contains("reserved for 1 waiting job");
    assertThat(full.why(gang).blockers().toString())
        .as("its own place is not somebody else's")
        .doesNotContain("reserved for 1 waiting job", "would start");
    assertThat(story.heals("eu-1-n002").plan().nodes(gang))
        .containsExactly("eu-1-n001", "eu-1-n002", "eu-1-n003");
  }

  @Test
  void gangWithoutRepairGetsNoReplacement() {
    JobBuilder gang = job("gang", 3);
    Story story = runs(gang, "0 per 1", 4).takesMember(gang, "eu-1-n002");

    story.plan();

    assertThat(story.staying(gang)).hasSize(2);
  }
}
