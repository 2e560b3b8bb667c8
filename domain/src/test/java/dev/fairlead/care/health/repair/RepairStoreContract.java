package dev.fairlead.care.health.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.Repairs;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class RepairStoreContract {
  private static final Instant AT = Instant.parse("2026-03-01T12:00:00Z");
  private Stores stores;
  private Repair repair;

  protected abstract Stores stores();

  @BeforeEach
  void aRepair() {
    stores = stores();
    repair = repair(new NodeId(stores.ids().next()));
  }

  private Repair repair(NodeId node) {
    return Repairs.of(new RepairId(stores.ids().next()), node, RepairStep.REBOOT, AT);
  }

  /** Fails when a field of a repair or of its steps is not stored. */
  @Test
  void storedRepairIsReadBack() {
    stores.repairs().insert(repair);
    Repair done =
        repair.asked(AT).ordered(RepairOrder.DONE, "olga", AT.plusSeconds(60)).orElseThrow();
    stores.repairs().update(done);

    assertThat(stores.repairs().repair(repair.id())).contains(done.following());
    assertThat(stores.repairs().repairs(repair.node(), false, null, 10))
        .containsExactly(done.following());
    assertThat(stores.repairs().open()).contains(done.following());
  }

  /** Fails when two supervisors begin a repair of the same node. */
  @Test
  void aNodeHasOneRepairAtATime() {
    stores.repairs().insert(repair);
    Repair second = repair(repair.node());

    assertThatThrownBy(() -> stores.repairs().insert(second)).isInstanceOf(Conflict.class);
    stores.repairs().update(repair.ended(AT));
    stores.repairs().insert(second);
    assertThat(stores.repairs().repairs(repair.node(), false, null, 1)).containsExactly(second);
    assertThat(stores.repairs().repairs(repair.node(), false, second.id(), 5)).hasSize(1);
  }

  /** Fails when a query for open repairs returns ended repairs, or a page repeats. */
  @Test
  void onlyOpenRepairsAreRead() {
    Repair other = repair(new NodeId(stores.ids().next()));
    Repair second = repair(repair.node());
    stores.repairs().insert(repair);
    stores.repairs().insert(other);
    stores.repairs().update(repair.ended(AT));
    stores.repairs().insert(second);

    assertThat(stores.repairs().repairs(null, true, null, 2)).containsExactly(second, other);
    assertThat(stores.repairs().repairs(null, true, second.id(), 1)).containsExactly(other);
    assertThat(stores.repairs().repairs(repair.node(), true, null, 9)).containsExactly(second);
    assertThat(stores.repairs().repairs(repair.node(), false, null, 9)).hasSize(2);
  }

  /** Fails when the loop overwrites a concurrent order of an operator. */
  @Test
  void onlyTheStoredVersionCanBeUpdated() {
    stores.repairs().insert(repair);
    stores.repairs().update(repair.asked(AT));

    assertThatThrownBy(() -> stores.repairs().update(repair.ended(AT)))
        .isInstanceOf(Conflict.class);
  }

  /** Fails when repairs are never deleted, or open repairs are deleted. */
  @Test
  void longEndedRepairsAreDeleted() {
    Repair open = repair(new NodeId(stores.ids().next()));
    stores.repairs().insert(repair);
    stores.repairs().insert(open);
    stores.repairs().update(repair.ended(AT));

    assertThat(stores.repairs().forget(AT.plusSeconds(1), 10)).isPositive();
    assertThat(stores.repairs().repair(repair.id())).isEmpty();
    assertThat(stores.repairs().repair(open.id())).isPresent();
  }

  /** Fails when a task or its response is not stored, or a machine has two open tasks. */
  @Test
  void aNodeHasOneOpenTaskAtATime() {
    stores.repairs().insert(repair);
    RepairTask task = task(repair.asked(AT));
    stores.repairs().insert(task);
    RepairTask second = task(repair.asked(AT.plusSeconds(1)));
    Refused.by(Guard.VERSION, () -> stores.repairs().insert(second));

    RepairTask done =
        task.answered(
            new RepairAnswer.Answered(RepairAnswer.Word.DONE, "n", false, "INC-7", "off and on"),
            "boot-2",
            AT.plusSeconds(60));
    stores.repairs().update(done);
    Refused.by(Guard.VERSION, () -> stores.repairs().update(done));
    stores.repairs().insert(second);

    assertThat(done.state()).isEqualTo(RepairTaskState.DONE);
    assertThat(stores.repairs().tasks(repair.id())).containsExactly(done, second);
    assertThat(stores.repairs().tasks()).contains(done, second);
    stores.repairs().update(repair.ended(AT));
    assertThat(stores.repairs().tasks()).contains(second).doesNotContain(done);
    assertThat(stores.repairs().forget(AT.plusSeconds(1), 10)).isPositive();
    assertThat(stores.repairs().tasks(repair.id())).isEmpty();
  }

  /** Fails when a contradicted power-off, or one of a finished repair, is still returned. */
  @Test
  void confirmedPowerOffIsReportedUntilItIsContradicted() {
    Repair off = Repairs.of(repair.id(), repair.node(), RepairStep.POWER_CYCLE, AT);
    stores.repairs().insert(off);
    RepairTask task = task(off.asked(AT));
    stores.repairs().insert(task);
    assertThat(stores.repairs().poweredOff(task.cluster())).doesNotContain(task);
    RepairTask confirmed =
        task.answered(
            new RepairAnswer.Answered(RepairAnswer.Word.PENDING, "n", true, "", ""), "boot-1", AT);
    stores.repairs().update(confirmed);

    assertThat(stores.repairs().poweredOff(task.cluster())).contains(confirmed);
    RepairTask contradicted = confirmed.contradicted(AT.plusSeconds(200));
    stores.repairs().update(contradicted);
    assertThat(stores.repairs().tasks(off.id())).containsExactly(contradicted);
    assertThat(stores.repairs().poweredOff(task.cluster()))
        .extracting(RepairTask::id)
        .doesNotContain(task.id());
  }

  private RepairTask task(Repair asked) {
    return RepairTask.of(
        new RepairTaskId(stores.ids().next()), asked, "n", "boot-1", false, AT.plusSeconds(5));
  }

  /** Fails when a change of a repairer overwrites another. */
  @Test
  void aRepairerIsChangedByVersion() {
    ClusterId cluster = TestWorld.in(stores).cluster().id();
    Repairer first =
        new Repairer(
            cluster,
            List.of(RepairStep.REBOOT, RepairStep.RESET_GPU),
            true,
            "https://public.example/",
            null,
            1);
    stores.repairs().put(first);
    assertThat(stores.repairs().repairer(cluster)).contains(first);
    assertThat(stores.repairs().repairers()).contains(first);
    Repairer next = new Repairer(cluster, List.of(), false, "https://public.example/2", "Y2E=", 2);
    stores.repairs().put(next);
    Refused.by(Guard.VERSION, () -> stores.repairs().put(next));
    Refused.by(Guard.VERSION, () -> stores.repairs().delete(first));

    assertThat(stores.repairs().repairer(cluster)).contains(next);
    stores.repairs().delete(next);
    assertThat(stores.repairs().repairer(cluster)).isEmpty();
  }
}
