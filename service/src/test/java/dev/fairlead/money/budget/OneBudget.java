package dev.fairlead.money.budget;

import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.Fact;
import java.math.BigInteger;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One budget that can be read, at one time. */
public final class OneBudget implements BudgetStore {
  private final long now;
  private @Nullable BudgetState state;

  public OneBudget(long nowMillis) {
    now = nowMillis;
  }

  public void is(BudgetState next) {
    state = next;
  }

  public void isGone() {
    state = null;
  }

  public BudgetId id() {
    return Objects.requireNonNull(state, "it is gone").budget().id();
  }

  @Override
  public Optional<BudgetState> state(BudgetId budget) {
    return Optional.ofNullable(state);
  }

  @Override
  public long now() {
    return now;
  }

  @Override
  public List<BudgetState> budgets(TenantId tenant) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<BudgetState> states() {
    throw new UnsupportedOperationException();
  }

  @Override
  public SortedMap<BudgetId, BigInteger> running(Collection<Budget> budgets, long nowMillis) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long closedTo() {
    throw new UnsupportedOperationException();
  }

  @Override
  public ClosedUse closedDay(Budget budget, ClosedUse known) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void insert(Budget budget, ClosedUse closed, boolean trial) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void update(Budget budget) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void delete(Budget budget) {
    throw new UnsupportedOperationException();
  }

  @Override
  public BudgetBook lock(
      Collection<TenantId> tenants, Collection<BudgetScope> jobs, Collection<UUID> attempts) {
    throw new UnsupportedOperationException();
  }

  @Override
  public BudgetBook lock(BudgetId budget) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<BudgetBook.Used> used(Collection<UUID> attempts) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void write(BudgetBook book) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<BudgetRecount.Drift> recount(BudgetId budget, ClosedUse closed) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<BudgetId> due() {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<OverdrawingAttempt> overdrawing(@Nullable OverdrawingAttempt after, int limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void enforced(OverdrawingAttempt attempt) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void tell(Budget budget, Fact fact) {
    throw new UnsupportedOperationException();
  }
}
