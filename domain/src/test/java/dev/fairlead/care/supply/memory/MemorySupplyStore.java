package dev.fairlead.care.supply.memory;

import dev.fairlead.care.supply.StockOut;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.care.supply.SupplyRequest;
import dev.fairlead.care.supply.SupplyRequestId;
import dev.fairlead.care.supply.SupplyStore;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** In-memory implementation of {@link SupplyStore}. */
public final class MemorySupplyStore implements SupplyStore {
  private final MemoryDatabase database;
  private final PoolStore pools;
  private final MemoryTable<PoolId, Supply> supplies;
  private final MemoryTable<SupplyRequestId, SupplyRequest> requests;

  public MemorySupplyStore(MemoryDatabase database, PoolStore pools) {
    this.database = database;
    this.pools = pools;
    this.supplies = database.table();
    this.requests = database.table();
  }

  @Override
  public Instant now() {
    return pools.now();
  }

  @Override
  public List<Supply> supplies() {
    return database.call(
        () -> supplies.all().stream().sorted(Comparator.comparing(Supply::pool)).toList());
  }

  @Override
  public Optional<Supply> supply(PoolId pool) {
    return database.call(() -> supplies.find(pool));
  }

  @Override
  public void put(Supply supply) {
    database.run(() -> {
      long stored = supplies.find(supply.pool()).map(Supply::version).orElse(0L);
      refuseUnless(stored == supply.version() - 1, supply.pool().text());
      supplies.put(supply.pool(), supply);
    });
  }

  @Override
  public void delete(Supply supply) {
    database.run(() -> {
      long stored = supplies.find(supply.pool()).map(Supply::version).orElse(0L);
      refuseUnless(stored == supply.version(), supply.pool().text());
      all(each -> each.asked().pool().equals(supply.pool()))
          .forEach(each -> requests.remove(each.id()));
      supplies.remove(supply.pool());
    });
  }

  @Override
  public List<SupplyOffer> offers() {
    return database.call(() -> {
      Instant now = now();
      Instant from = now.minus(StockOut.READ);
      List<SupplyRequest> counted =
          all(each -> {
            Instant settled = each.settledAt();
            return each.endedAt() == null || settled != null && settled.isAfter(from);
          });
      return SupplyOffer.of(supplies(), pools.pools(), counted, now);
    });
  }

  @Override
  public List<SupplyRequest> open() {
    return all(each -> each.endedAt() == null);
  }

  @Override
  public List<SupplyRequest> requests(PoolId pool, int most) {
    return all(each -> each.asked().pool().equals(pool)).reversed().stream().limit(most).toList();
  }

  private List<SupplyRequest> all(Predicate<SupplyRequest> wanted) {
    return database.call(() ->
        requests.all().stream()
            .filter(wanted)
            .sorted(Comparator.comparing(SupplyRequest::id))
            .toList());
  }

  @Override
  public void insert(SupplyRequest request) {
    database.run(() -> requests.put(request.id(), request));
  }

  @Override
  public void update(SupplyRequest request) {
    database.run(() -> {
      long stored = requests.find(request.id()).map(SupplyRequest::version).orElse(0L);
      refuseUnless(stored == request.version() - 1, request.id().text());
      requests.put(request.id(), request);
    });
  }

  @Override
  public int forget(Instant endedBefore, int most) {
    return database.call(() -> {
      List<SupplyRequest> old =
          all(each -> each.endedAt() != null && each.endedAt().isBefore(endedBefore)).stream()
              .limit(most)
              .toList();
      old.forEach(each -> requests.remove(each.id()));
      return old.size();
    });
  }

  private static void refuseUnless(boolean stored, String what) {
    if (!stored) {
      throw new Conflict(Guard.VERSION, what);
    }
  }
}
