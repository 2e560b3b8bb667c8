package dev.fairlead.money.budget;

import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.Fact;
import java.math.BigInteger;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Budgets and their charges. Rows of budgets are the last locks of a transaction. */
public interface BudgetStore {
  /** By name. */
  List<BudgetState> budgets(TenantId tenant);

  /** Budgets of all tenants by id, with the periods that are not over. */
  List<BudgetState> states();

  /**
   * Usage in the current period by attempts that hold GPUs, for each budget with such attempts.
   * Runs in a transaction of the tenant, or of all tenants.
   */
  SortedMap<BudgetId, BigInteger> running(Collection<Budget> budgets, long nowMillis);

  /** Time of the database's clock, in milliseconds since 1970. */
  long now();

  /** Time until which hours of use are closed, in milliseconds since 1970. */
  long closedTo();

  /**
   * Adds the usage of the next closed day of the open period, without a lock.
   *
   * @param known the earlier sum, of the same scope, unit and period
   * @return the same again when no closed hour is left
   */
  ClosedUse closedDay(Budget budget, ClosedUse known);

  /**
   * Sums the usage of the closed hours of the open period, a day in each transaction and without a
   * lock. Must be called outside a transaction, because the read takes seconds on a large
   * installation.
   */
  default ClosedUse closed(Budget budget) {
    ClosedUse known = closedDay(budget, ClosedUse.NONE);
    for (ClosedUse more = closedDay(budget, known);
        !more.equals(known);
        more = closedDay(budget, known)) {
      known = more;
    }
    return known;
  }

  /**
   * Stores a new budget with the usage of the open period and the current allocations. No job of
   * the tenant starts or ends in the meantime.
   *
   * @param closed result of {@link #closed} Nothing is taken from an expired period
   * @param trial whether the transaction will be rolled back: it takes no locks and reads no usage
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN
   */
  void insert(Budget budget, ClosedUse closed, boolean trial);

  /**
   * Stores amount, mode, alerts and grants of the version that follows the stored one.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION
   */
  void update(Budget budget);

  /**
   * Deletes the budget and its charges.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION
   */
  void delete(Budget budget);

  /**
   * Locks the budgets that cover any of these jobs or hold a reservation of any of these attempts,
   * and renews expired reservations. Runs in a transaction.
   *
   * @param tenants tenants of all moved attempts. No new budget covers these jobs until the
   *     transaction ends
   * @param jobs that start, as scopes that name every part
   * @param attempts attempts that start, grow or have ended, with their current resources
   */
  BudgetBook lock(
      Collection<TenantId> tenants, Collection<BudgetScope> jobs, Collection<UUID> attempts);

  /**
   * Locks one budget and renews its expired reservations, empty if it was deleted. Runs in a
   * transaction.
   */
  BudgetBook lock(BudgetId budget);

  /** Use of ended attempts. */
  List<BudgetBook.Used> used(Collection<UUID> attempts);

  /** Stores the changes of the book, in the transaction that locked it. */
  void write(BudgetBook book);

  /**
   * Locks a budget, recounts it from reservations and intervals of use, and corrects differences.
   * Runs in a transaction.
   *
   * @param closed closed use of the budget's scope, unit and period
   * @return the differences
   */
  List<BudgetRecount.Drift> recount(BudgetId budget, ClosedUse closed);

  /** Budgets with an expired reservation. */
  List<BudgetId> due();

  /** State of a budget of any tenant, without a lock, empty if it was deleted. */
  Optional<BudgetState> state(BudgetId budget);

  /**
   * A page of attempts with an exhausted budget, of all tenants, by time of exhaustion.
   *
   * @param after last attempt of the page before, null for the first page
   * @param limit most attempts of the page
   */
  List<OverdrawingAttempt> overdrawing(@Nullable OverdrawingAttempt after, int limit);

  /** Clears the mark. A later renewal may set it again. */
  void enforced(OverdrawingAttempt attempt);

  /** Stores an event of the budget. */
  void tell(Budget budget, Fact fact);
}
