package dev.fairlead.verify.simulation.world;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.lease.LeaseRow;
import dev.fairlead.kernel.lease.LeaseStore;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Leases over a connection that may break before or after the statement. */
public final class FaultyLeases implements LeaseStore {
  private final LeaseStore leases;
  private final ProcessLife life;

  public FaultyLeases(LeaseStore leases, ProcessLife life) {
    this.leases = leases;
    this.life = life;
  }

  @Override
  public Installation installation() {
    return leases.installation();
  }

  @Override
  public int incarnation() {
    return leases.incarnation();
  }

  @Override
  public boolean raiseIncarnation(int from) {
    return leases.raiseIncarnation(from);
  }

  @Override
  public Optional<LeaseRow> read(String name) {
    life.check();
    return leases.read(name);
  }

  @Override
  public List<String> names() {
    life.check();
    return leases.names();
  }

  @Override
  public Optional<HeldLease> create(String name, String holder) {
    return over(() -> leases.create(name, holder));
  }

  @Override
  public Optional<HeldLease> takeOver(LeaseRow seen, String holder) {
    return over(() -> leases.takeOver(seen, holder));
  }

  @Override
  public Optional<HeldLease> renew(HeldLease lease, boolean raise) {
    return over(() -> leases.renew(lease, raise));
  }

  @Override
  public void release(HeldLease lease) {
    life.check();
    leases.release(lease);
  }

  @Override
  public void remove(String name) {
    life.check();
    leases.remove(name);
  }

  @Override
  public void whenSessionEnds(Runnable listener) {
    leases.whenSessionEnds(listener);
  }

  private Optional<HeldLease> over(Supplier<Optional<HeldLease>> statement) {
    life.step("lease");
    if (life.faults().strikes(Fault.DATABASE_BEFORE)) {
      throw new IllegalStateException("simulated: connection lost before the lease");
    }
    Optional<HeldLease> result = statement.get();
    life.step("lease done");
    if (life.faults().strikes(Fault.DATABASE_AFTER)) {
      throw new IllegalStateException("simulated: connection lost, lease unknown");
    }
    return result;
  }
}
