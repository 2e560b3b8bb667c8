package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A refusal names the node with the limit that an administrator would raise. */
class QuotaRefusalTest {
  private final Scene scene = new Scene();
  private final QuotaNodeId all = scene.group("all");

  private QuotaNodeId queue(String name, QuotaNodeId parent, long gpus) {
    QuotaLimit limit =
        new QuotaLimit(new Flavor("H100", CapacityType.RESERVED), "gpu", gpus * 1000, null, null);
    return scene.queue(name, parent, QueueSettings.DEFAULT, limit);
  }

  private Blocker refused(String queue, QuotaNodeId id, int gpus, Map<QuotaNodeId, Long> used) {
    scene.uses.addAll(QuotaWorld.used(scene.quotas, used));
    scene.cluster("eu-1").nodes(4, 8, "H100");
    JobBuilder job = scene.job("job").queue(queue, id).gpus(gpus, "H100");
    return scene.plan().why(job).blockers().stream()
        .filter(b -> b.reason() == Reason.QUOTA)
        .findFirst()
        .orElseThrow();
  }

  /** Fails when the refusal names the group above, which has no limit. */
  @Test
  void groupWithoutALimitIsNotNamedForItsQueue() {
    QuotaNodeId queue = queue("queue", all, 8);

    Blocker refused = refused("queue", queue, 4, Map.of(queue, 6L));

    assertThat(refused.scope().name()).isEqualTo("queue");
    assertThat(refused.message()).contains("'queue'").doesNotContain("'all'");
    assertThat(refused.numbers())
        .containsEntry("availableMilli", 2_000L)
        .containsEntry("usedMilli", 6_000L)
        .containsEntry("quotaMilli", 8_000L);
  }

  /** Fails when a queue with enough quota is named because of the usage of its sibling. */
  @Test
  void groupIsNamedIfItsQueuesBorrowAllQuota() {
    QuotaNodeId queue = queue("queue", all, 4);
    QuotaNodeId borrower = queue("borrower", all, 4);

    Blocker refused = refused("queue", queue, 2, Map.of(borrower, 8L));

    assertThat(refused.scope().name()).isEqualTo("all");
    assertThat(refused.numbers())
        .containsEntry("usedMilli", 8_000L)
        .containsEntry("quotaMilli", 8_000L);
  }

  /** Fails when a queue that can only borrow is named with its quota of 0. */
  @Test
  void groupIsNamedForAQueueThatOnlyBorrows() {
    QuotaNodeId owner = queue("owner", all, 8);
    QuotaNodeId guest = queue("guest", all, 0);

    Blocker refused = refused("guest", guest, 4, Map.of(owner, 6L));

    assertThat(refused.scope().name()).isEqualTo("all");
    assertThat(refused.numbers())
        .containsEntry("availableMilli", 2_000L)
        .containsEntry("usedMilli", 6_000L)
        .containsEntry("quotaMilli", 8_000L);
  }
}
