package dev.fairlead.kernel.lease.memory;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.lease.LeaseRow;
import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import java.util.List;
import java.util.Optional;

/** Twin of {@link LeaseStore}. */
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

  /** Whether the fence of the lease carries the term. */
  public boolean fenceIs(String name, long term) {
    return database.call(() -> fences.find(name).map(t -> t == term).orElse(false));
  }

  @Override
  public Installation installation() {
    return installation;
  }

  @Override
  public int incarnation() {
    return installation.incarnation();
  }

  /** Of the same installation as the other. */
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
                    Math.max(firstTerm(), floor("term") + 1),
                    Math.max(firstTerm() - 1, floor("mark")))));
  }

  @Override
  public Optional<HeldLease> takeOver(LeaseRow seen, String holder) {
    return database.call(() ->
        leases
            .find(seen.name())
            .filter(row -> row.term() == seen.term() && row.renewals() == seen.renewals())
            .map(row ->
                give(
                    row.name(),
                    holder,
                    Math.max(row.term() + 1, firstTerm()),
                    Math.max(row.mark(), firstTerm() - 1))));
  }

  @Override
  public Optional<HeldLease> renew(HeldLease lease, boolean marks) {
    return database.call(() -> ours(lease).map(row -> renewed(row, row.mark() + (marks ? 1 : 0))));
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
            floors.put("term", Math.max(floor("term"), row.term()));
            floors.put("mark", Math.max(floor("mark"), row.mark()));
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
        row.name(), row.holder(), row.term(), row.renewals(), row.mark(), true, false);
  }

  private Optional<LeaseRow> ours(HeldLease lease) {
    return leases.find(lease.name()).filter(row -> row.term() == lease.term() && !row.released());
  }

  private HeldLease renewed(LeaseRow row, long mark) {
    long renewals = row.renewals() + 1;
    LeaseRow next =
        new LeaseRow(row.name(), row.holder(), row.term(), renewals, mark, false, false);
    leases.put(next.name(), next);
    return new HeldLease(next.name(), next.holder(), next.term(), renewals, mark);
  }

  private HeldLease give(String name, String holder, long term, long mark) {
    leases.put(name, new LeaseRow(name, holder, term, 0, mark, false, false));
    fences.put(name, term);
    return new HeldLease(name, holder, term, 0, mark);
  }

  private long firstTerm() {
    return ((long) installation.incarnation() << Integer.SIZE) + 1;
  }
}
