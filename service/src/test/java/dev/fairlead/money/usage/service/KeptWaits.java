package dev.fairlead.money.usage.service;

import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.HourDifference;
import dev.fairlead.money.usage.WaitQuery;
import dev.fairlead.money.usage.WaitRow;
import dev.fairlead.money.usage.WaitStore;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Records the queries of waits in order. An hour is correct once it has been written. */
final class KeptWaits implements WaitStore {
  final List<String> calls = new ArrayList<>();
  boolean wrong;

  @Override
  public void look(long nowMillis) {
    calls.add("look");
  }

  @Override
  public void write(long hourMillis, long toMillis) {
    wrong = false;
    calls.add("write " + (toMillis - hourMillis) * 60 / HourBook.HOUR_MILLIS);
  }

  @Override
  public List<HourDifference> differences(long hourMillis) {
    return wrong ? List.of(new HourDifference(hourMillis, new TreeMap<>(), 1, 2)) : List.of();
  }

  @Override
  public List<WaitRow> report(WaitQuery query) {
    return List.of();
  }
}
