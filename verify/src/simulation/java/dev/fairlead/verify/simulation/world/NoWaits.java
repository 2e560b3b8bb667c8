package dev.fairlead.verify.simulation.world;

import dev.fairlead.money.usage.HourDifference;
import dev.fairlead.money.usage.WaitQuery;
import dev.fairlead.money.usage.WaitRow;
import dev.fairlead.money.usage.WaitStore;
import java.util.List;

/** A simulation reports by itself how long jobs waited. */
public final class NoWaits implements WaitStore {
  @Override
  public void look(long nowMillis) {}

  @Override
  public void write(long hourMillis, long toMillis) {}

  @Override
  public List<HourDifference> differences(long hourMillis) {
    return List.of();
  }

  @Override
  public List<WaitRow> report(WaitQuery query) {
    return List.of();
  }
}
