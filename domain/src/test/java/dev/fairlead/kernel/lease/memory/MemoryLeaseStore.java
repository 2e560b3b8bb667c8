package dev.fairlead.kernel.lease.memory;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.lease.LeaseRow;
import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import java.util.List;
import java.util.Optional;

/** In-memory implementation of {@link LeaseStore}. */
public final class MemoryLeaseStore implements LeaseStore {
  private final MemoryDatabase database;
  private Installation installation;
  private final MemoryTable<String, LeaseRow> leases;
  private final MemoryTable<String, Long> fences;
  private final MemoryTable<String, Long> floors;

  public MemoryLeaseStore(MemoryDatabase database, Installation installation) {
    this.database = database;
    this.installation = installation;
    this.leases = database.table();
    this.fences = database.table();
    this.floors = database.table();
  }

  /** Returns whether the fence of the lease carries the epoch. */
  public boolean fenceIs(String name, long epoch) {
    return database.call(() -> fences.find(name).map(t -> t == epoch).orElse(false));
  }

  @Override
  public Installation installation() {
    return installation;
  }

  @Override
  public int incarnation() {
    return installation.incarnation();
  }

  /** Belongs to the same installation as the other store. */
  public void restore(MemoryLeaseStore backup) {
    installation = backup.installation;
  }

  @Override
  public boolean raiseIncarnation(int from) {
    return database.call(() -> {
      if (installation.incarnation() != from) {
        return false;
      }
      installation = new Installation(installation.id(), from + 1);
      for (LeaseRow row : leases.all()) {
        leases.put(row.name(), handedBack(row));
      }
      return true;
    });
  }

  @Override
  public Optional<LeaseRow> read(String name) {
    return database.call(() -> leases.find(name));
  }

  @Override
  public List<String> names() {
    return database.call(() -> leases.all().stream().map(LeaseRow::name).sorted().toList());
  }

  @Override
  public Optional<HeldLease> create(String name, String holder) {
    return database.call(() ->
        leases.has(name)
            ? Optional.empty()
            : Optional.of(
                give(
                    name,
                    holder,
                    Math.max(firstEpoch(), floor("epoch") + 1),
                    Math.max(firstEpoch() - 1, floor("watermark")))));
  }

  @Override
  public Optional<HeldLease> takeOver(LeaseRow seen, String holder) {
    return database.call(() ->
        leases
            .find(seen.name())
            .filter(row -> row.epoch() == seen.epoch() && row.renewals() == seen.renewals())
            .map(row ->
                give(
                    row.name(),
                    holder,
                    Math.max(row.epoch() + 1, firstEpoch()),
                    Math.max(row.watermark(), firstEpoch() - 1))));
  }

  @Override
  public Optional<HeldLease> renew(HeldLease lease, boolean raise) {
    return database.call(
        () -> ours(lease).map(row -> renewed(row, row.watermark() + (raise ? 1 : 0))));
  }

  @Override
  public void release(HeldLease lease) {
    database.run(() -> ours(lease).ifPresent(row -> leases.put(row.name(), handedBack(row))));
  }

  @Override
  public void remove(String name) {
    database.run(() -> {
      leases
          .find(name)
          .ifPresent(row -> {
            floors.put("epoch", Math.max(floor("epoch"), row.epoch()));
            floors.put("watermark", Math.max(floor("watermark"), row.watermark()));
          });
      leases.remove(name);
      fences.remove(name);
    });
  }

  private long floor(String of) {
    return floors.find(of).orElse((long) installation.incarnation() << Integer.SIZE);
  }

  /** Sessions of the twin do not end. */
  @Override
  public void whenSessionEnds(Runnable listener) {}

  private static LeaseRow handedBack(LeaseRow row) {
    return new LeaseRow(
        row.name(), row.holder(), row.epoch(), row.renewals(), row.watermark(), true, false);
  }

  private Optional<LeaseRow> ours(HeldLease lease) {
    return leases.find(lease.name()).filter(row -> row.epoch() == lease.epoch() && !row.released());
  }

  private HeldLease renewed(LeaseRow row, long watermark) {
    long renewals = row.renewals() + 1;
    LeaseRow next =
        new LeaseRow(row.name(), row.holder(), row.epoch(), renewals, watermark, false, false);
    leases.put(next.name(), next);
    return new HeldLease(next.name(), next.holder(), next.epoch(), renewals, watermark);
  }

  private HeldLease give(String name, String holder, long epoch, long watermark) {
    leases.put(name, new LeaseRow(name, holder, epoch, 0, watermark, false, false));
    fences.put(name, epoch);
    return new HeldLease(name, holder, epoch, 0, watermark);
  }

  private long firstEpoch() {
    return ((long) installation.incarnation() << Integer.SIZE) + 1;
  }
}
