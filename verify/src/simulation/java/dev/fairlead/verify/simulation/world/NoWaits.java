package dev.fairlead.verify.simulation.world;

import dev.fairlead.money.usage.WaitStore;
import dev.fairlead.money.usage.ledger.UseFacts;
import java.util.TreeMap;

/** A simulation reports by itself how long jobs waited. */
public final class NoWaits implements WaitStore {
  @Override
  public void look(long nowMillis) {}

  @Override
  public UseFacts sums(long hourMillis, long toMillis) {
    return new UseFacts(hourMillis, new TreeMap<>());
  }
}
