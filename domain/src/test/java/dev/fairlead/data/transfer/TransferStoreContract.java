package dev.fairlead.data.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contract of every {@link TransferStore}, including the isolation of tenants. */
public abstract class TransferStoreContract {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private Stores stores;
  private TestWorld world;
  private TransferStore transfers;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
    transfers = stores.transfers();
  }

  private Transfer kept(UUID target) {
    Transfer transfer =
        Transfers.copy(
            new TransferId(stores.ids().next()),
            world.project(),
            new Transfer.Side(stores.ids().next(), "training"),
            new Transfer.Side(target, "training-eu"));
    transfers.insert(transfer);
    return transfer;
  }

  private Transfer now(Transfer transfer) {
    return transfers.find(transfer.tenant(), transfer.project(), transfer.id()).orElseThrow();
  }

  /** Fails when one of its fields is lost, or another tenant can read it. */
  @Test
  void transferIsReadInItsProject() {
    Transfer first = kept(stores.ids().next());
    Transfer second = kept(stores.ids().next());

    assertThat(now(first)).isEqualTo(first);
    assertThat(transfers.of(first.tenant(), first.project(), 5)).containsExactly(second, first);
    assertThat(transfers.of(first.tenant(), first.project(), 1)).containsExactly(second);
    TenantId other = TestWorld.in(stores).tenant().id();
    assertThat(transfers.find(other, first.project(), first.id())).isEmpty();
    assertThat(transfers.open()).contains(first, second);
  }

  @Test
  void changeIsAppliedOnce() {
    Transfer transfer = kept(stores.ids().next());
    Transfer failed = transfer.after(TransferEvent.FAILED, "gone", NOW);
    transfers.update(failed);

    assertThat(now(transfer)).isEqualTo(failed);
    Refused.by(Guard.VERSION, () -> transfers.update(failed));
  }

  /** Fails when two fill one volume at a time. */
  @Test
  void volumeIsTheTargetOfOneTransfer() {
    UUID target = stores.ids().next();
    Transfer first = kept(target);
    Refused.by(Guard.NAME_TAKEN, () -> kept(target));

    Transfer dropping = first.after(TransferEvent.DROPPED, "", NOW);
    transfers.update(dropping);
    Transfer over = dropping.after(TransferEvent.CLEANED, "", NOW);
    transfers.update(over);

    assertThat(transfers.open()).doesNotContain(over);
    Transfer next = kept(target);
    int _ = transfers.forget(NOW, 1000);
    assertThat(now(first)).isEqualTo(over);
    int _ = transfers.forget(NOW.plusSeconds(1), 1000);
    assertThat(transfers.of(first.tenant(), first.project(), 5)).containsExactly(next);
  }

  /** Fails when later transfers hide a transfer that waits for its owner. */
  @Test
  void unfinishedTransfersComeFirst() {
    Transfer open = kept(stores.ids().next());
    Transfer ended = kept(stores.ids().next());
    transfers.update(ended.after(TransferEvent.DROPPED, "", NOW));
    transfers.update(now(ended).after(TransferEvent.CLEANED, "", NOW));

    assertThat(transfers.of(open.tenant(), open.project(), 5))
        .extracting(Transfer::id)
        .containsExactly(open.id(), ended.id());
  }
}
