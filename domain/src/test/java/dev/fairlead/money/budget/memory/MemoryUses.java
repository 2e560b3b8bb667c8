package dev.fairlead.money.budget.memory;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.money.budget.BudgetPlace;
import dev.fairlead.money.budget.BudgetScope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * In-memory implementation of the ledger of GPUs: members that hold GPUs, and intervals of use that
 * have ended.
 */
public final class MemoryUses {
  private final MemoryTable<UUID, SortedMap<String, Use>> held;
  private final MemoryTable<UUID, List<Use>> ended;
  private LongSupplier now;

  /**
   * GPUs of one member.
   *
   * @param owner scope of its job
   * @param milli thousandths of GPUs
   * @param fromMillis in milliseconds since 1970
   * @param toMillis {@link Long#MAX_VALUE} while it holds them
   */
  public record Use(
      BudgetScope owner,
      JobId job,
      UUID attempt,
      BudgetPlace place,
      long milli,
      long fromMillis,
      long toMillis) {}

  /**
   * @param now time of new rows, in milliseconds since 1970
   */
  public MemoryUses(MemoryDatabase database, LongSupplier now) {
    this.held = database.table();
    this.ended = database.table();
    this.now = now;
  }

  /** Sets the time of rows from now on. */
  public void stampedBy(LongSupplier stamp) {
    now = stamp;
  }

  /**
   * A member takes GPUs.
   *
   * @param use use of any time
   */
  public void take(String member, Use use) {
    SortedMap<String, Use> members = new TreeMap<>(held(use.attempt()));
    members.put(
        member,
        new Use(
            use.owner(),
            use.job(),
            use.attempt(),
            use.place(),
            use.milli(),
            now.getAsLong(),
            Long.MAX_VALUE));
    held.put(use.attempt(), members);
  }

  /** A member gives its GPUs back. */
  public void giveBack(UUID attempt, String member) {
    SortedMap<String, Use> members = new TreeMap<>(held(attempt));
    Use use = Objects.requireNonNull(members.remove(member), member);
    if (members.isEmpty()) {
      held.remove(attempt);
    } else {
      held.put(attempt, members);
    }
    List<Use> of = new ArrayList<>(ended(attempt));
    of.add(
        new Use(
            use.owner(),
            use.job(),
            attempt,
            use.place(),
            use.milli(),
            use.fromMillis(),
            Math.max(use.fromMillis(), now.getAsLong())));
    ended.put(attempt, of);
  }

  /** Users of an attempt, in the order of their first use. */
  public List<String> users(UUID attempt) {
    return Stream.concat(ended(attempt).stream(), held(attempt).values().stream())
        .map(use -> use.owner().user())
        .distinct()
        .toList();
  }

  SortedMap<String, Use> held(UUID attempt) {
    return held.find(attempt).orElse(Collections.emptySortedMap());
  }

  /** Keyed by attempt. */
  Stream<Use> held() {
    return held.all().stream().flatMap(members -> members.values().stream());
  }

  List<Use> ended(UUID attempt) {
    return ended.find(attempt).orElse(List.of());
  }

  /** Keyed by attempt. */
  Stream<Use> ended() {
    return ended.all().stream().flatMap(List::stream);
  }
}
