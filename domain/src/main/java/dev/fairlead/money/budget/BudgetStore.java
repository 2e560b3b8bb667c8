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

/** Budgets and what is charged to them. Rows of budgets are the last locks of a transaction. */
public interface BudgetStore {
  /** By name. */
  List<BudgetState> budgets(TenantId tenant);

  /** All of all tenants by id, with the periods that are not over. */
  List<BudgetState> states();

  /**
   * What attempts that hold GPUs have used in the period that is open, of each budget with some. In
   * a transaction of the tenant, or of all.
   */
  SortedMap<BudgetId, BigInteger> running(Collection<Budget> budgets, long nowMillis);

  /** What the database's clock says, in milliseconds since 1970. */
  long now();

  /** Up to when hours of use are closed, in milliseconds since 1970. */
  long closedTo();

  /**
   * Adds up what was used in the next day of the closed hours of the open period, without a lock.
   *
   * @param known what was added up before, of the same scope, unit and period
   * @return the same again when no closed hour is left
   */
  ClosedUse closedDay(Budget budget, ClosedUse known);

  /**
   * Adds up what was used in the closed hours of the open period, a day in each transaction and
   * without a lock. Outside of a transaction: at a large installation it takes seconds.
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
   * Stores a new budget with what was used in the open period and what is held now; no job of the
   * tenant starts or ends meanwhile.
   *
   * @param closed what {@link #closed} said; of a period that is over nothing is taken
   * @param trial to be undone: nothing waits for it, and it reads nothing of what was used
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
   * With all that is charged to it.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION
   */
  void delete(Budget budget);

  /**
   * Locks the budgets that cover one of these jobs or have a reservation of one of these attempts,
   * and renews what is due there. In a transaction.
   *
   * @param tenants of all that is moved; none of them gets a new budget meanwhile
   * @param jobs that start, as scopes that name every part
   * @param attempts that start, grow or have ended, with what they hold by now
   */
  BudgetBook lock(
      Collection<TenantId> tenants, Collection<BudgetScope> jobs, Collection<UUID> attempts);

  /** Locks one budget and renews what is due there; empty when it is gone. In a transaction. */
  BudgetBook lock(BudgetId budget);

  /** What ended attempts used. */
  List<BudgetBook.Used> used(Collection<UUID> attempts);

  /** Stores what the book has changed, in the transaction that locked it. */
  void write(BudgetBook book);

  /**
   * Locks a budget, counts it again from its reservations and from intervals of use, and corrects
   * what differs. In a transaction.
   *
   * @param closed of its scope, unit and period
   * @return what differed
   */
  List<BudgetRecount.Drift> recount(BudgetId budget, ClosedUse closed);

  /** Budgets with a reservation whose time is over. */
  List<BudgetId> due();

  /** One of any tenant as it is, without a lock; empty when it is gone. */
  Optional<BudgetState> state(BudgetId budget);

  /**
   * A page of the attempts at the wall of a budget, of all tenants, by the time of the wall.
   *
   * @param after last attempt of the page before, null for the first page
   * @param limit most attempts of the page
   */
  List<OverdrawingAttempt> atWall(@Nullable OverdrawingAttempt after, int limit);

  /** What had to be done for it is done, or nothing has; a later renewal may put it there again. */
  void leaveWall(OverdrawingAttempt attempt);

  /** Stores an event of the budget. */
  void tell(Budget budget, Fact fact);
}
