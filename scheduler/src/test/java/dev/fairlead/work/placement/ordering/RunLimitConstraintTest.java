package dev.fairlead.work.placement.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.fleet.quota.UserLimits;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.RandomScene;
import dev.fairlead.work.world.World;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RunLimitConstraintTest {
  /** Fails when the text of a refusal is built again for each of very many jobs of a user. */
  @Test
  void jobsThatAreRefusedForTheSameShareTheRefusal() {
    World world = RandomScene.world(1, 20);
    Job job = world.pending().getFirst().job();
    QuotaNode queue = world.quotaNodes().stream().filter(QuotaNode::isQueue).findFirst().get();
    RunLimitConstraint counts = RunLimitConstraint.of(limited(queue, 1), Instant.EPOCH).getFirst();
    assertThat(counts.refusals(job, null, queue)).isEmpty();

    counts.takes(job, null, queue);
    Blocker first = counts.refusals(job, null, queue).getFirst().get();
    assertThat(counts.refusals(job, null, queue).getFirst().get()).isSameAs(first);

    counts.takes(job, null, queue);
    assertThat(counts.refusals(job, null, queue).getFirst().get().message())
        .contains("runs 2 of 1 jobs");
  }

  private static QuotaNode limited(QuotaNode queue, int running) {
    return new QuotaNode(
        queue.id(),
        queue.tenant(),
        queue.name(),
        queue.parent(),
        queue.depth(),
        queue.weight(),
        queue.limits(),
        queue.preemption(),
        QueueSettings.DEFAULT.withUserLimits(new UserLimits(running, null, null, null)),
        SharePolicy.DOMINANT_SHARE,
        null,
        queue.version());
  }
}
