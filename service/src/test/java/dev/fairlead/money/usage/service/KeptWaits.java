package dev.fairlead.money.usage.service;

import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.WaitStore;
import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseFacts;
import dev.fairlead.money.usage.ledger.UseKey;
import dev.fairlead.money.usage.ledger.UseKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Records the queries of waits in order. */
final class KeptWaits implements WaitStore {
  final List<String> calls = new ArrayList<>();

  @Override
  public void look(long nowMillis) {
    calls.add("look");
  }

  @Override
  public UseFacts sums(long hourMillis, long toMillis) {
    calls.add("sums " + (toMillis - hourMillis) * 60 / HourBook.HOUR_MILLIS);
    return facts(hourMillis, 2);
  }

  /** One wait with an amount. */
  static UseFacts facts(long hourMillis, long amount) {
    return new UseFacts(
        hourMillis,
        new TreeMap<>(Map.of(UseKey.of(UseKind.WAIT).with(UseDimension.DETAIL, "QUOTA"), amount)));
  }
}
