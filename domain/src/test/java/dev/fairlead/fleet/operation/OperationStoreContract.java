package dev.fairlead.fleet.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class OperationStoreContract {
  private static final Instant NOW = Instant.parse("2031-05-06T07:08:09Z");

  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  @Test
  void storedOperationIsReadBack() {
    Operation drain = inserted(world.node("node-1").id());

    assertThat(find(drain)).isEqualTo(drain);
    assertThat(stores.operations().running()).contains(drain);
  }

  @Test
  void progressAndEndAreStored() {
    Operation drain = inserted(null);
    Operation half = drain.progressed(4, "4 of 4 attempts are left").progressed(1, "one is left");
    stores.operations().update(drain.progressed(4, "4 of 4 attempts are left"));
    stores.operations().update(half);

    assertThat(find(drain)).isEqualTo(half);
    assertThat(half.percent()).isEqualTo(75);

    Operation done = half.ended(OperationEvent.DONE, "empty", NOW.plusSeconds(9)).orElseThrow();
    stores.operations().update(done);
    assertThat(find(drain)).isEqualTo(done);
    assertThat(done.percent()).isEqualTo(100);
    assertThat(stores.operations().running()).doesNotContain(done);
    assertThat(done.ended(OperationEvent.CANCEL, "too late", NOW)).isEmpty();
  }

  @Test
  void deadlineIsStoredAndCanChange() {
    Operation drain = inserted(null);
    Operation due = drain.due(new DrainDeadline(NOW.plusSeconds(60), DrainPolicy.STOP));
    stores.operations().update(due);
    assertThat(find(drain)).isEqualTo(due);
    assertThat(stores.operations().running()).contains(due);

    Operation later = due.due(new DrainDeadline(NOW.plusSeconds(90), DrainPolicy.WAIT));
    stores.operations().update(later);
    assertThat(find(drain)).isEqualTo(later);
  }

  @Test
  void staleUpdateIsRejected() {
    Operation drain = inserted(null);
    stores.operations().update(drain.progressed(1, "first"));

    Refused.by(Guard.VERSION, () -> stores.operations().update(drain.progressed(2, "second")));
    assertThat(find(drain).step()).isEqualTo("first");
  }

  @Test
  void objectHasOneOperationAtATime() {
    // Fails without the unique index on running operations.
    Operation first = inserted(world.node("node-1").id());
    Operation whole = inserted(null);
    assertThat(stores.operations().running(first.cluster(), first.node())).contains(first);
    assertThat(stores.operations().running(first.cluster(), null)).contains(whole);
    Refused.by(Guard.NAME_TAKEN, () -> inserted(world.node("node-1").id()));
    Refused.by(Guard.NAME_TAKEN, () -> inserted(null));

    stores.operations().update(first.ended(OperationEvent.CANCEL, "cancelled", NOW).orElseThrow());
    assertThat(find(inserted(world.node("node-1").id())).ended()).isFalse();
  }

  @Test
  void operationsOfATenantAreListedNewestFirst() {
    Operation one = inserted(world.node("node-1").id());
    Operation two = inserted(world.node("node-2").id());
    Operation three = inserted(null);
    TestWorld other = TestWorld.in(stores);

    var tenant = world.tenant().id();
    assertThat(stores.operations().list(tenant, null, 2)).containsExactly(three, two);
    assertThat(stores.operations().list(tenant, two.id(), 2)).containsExactly(one);
    assertThat(stores.operations().list(other.tenant().id(), null, 9)).isEmpty();
    assertThat(stores.operations().find(other.tenant().id(), one.id())).isEmpty();
  }

  private Operation inserted(@Nullable NodeId node) {
    Operation operation =
        new Operation(
            new OperationId(stores.ids().next()),
            node == null ? OperationKind.DRAIN_CLUSTER : OperationKind.DRAIN_NODE,
            world.tenant().id(),
            "ana",
            world.cluster().id(),
            node,
            node == null ? world.cluster().name() : "node",
            OperationState.RUNNING,
            0,
            0,
            "begins",
            null,
            NOW,
            null,
            1);
    stores.operations().insert(operation);
    return operation;
  }

  private Operation find(Operation operation) {
    return stores.operations().find(world.tenant().id(), operation.id()).orElseThrow();
  }
}
