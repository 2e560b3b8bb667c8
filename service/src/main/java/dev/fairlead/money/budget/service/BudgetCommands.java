package dev.fairlead.money.budget.service;

import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetGrant;
import dev.fairlead.money.budget.BudgetId;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.ClosedUse;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Creates, changes, grants and deletes budgets. */
@Service
public class BudgetCommands {
  /** Maximum number of budgets of one tenant. */
  public static final int MOST = 500;

  /** Maximum number of grants of one period. */
  public static final int MOST_GRANTS = 100;

  private static final String CREATE = "createBudget";

  private final Transactions transactions;
  private final BudgetStore budgets;
  private final Budgets queries;
  private final Idempotency idempotency;
  private final PriceStore prices;
  private final AuditLog audit;
  private final IdSource ids;

  public BudgetCommands(
      Transactions transactions,
      BudgetStore budgets,
      Budgets queries,
      Idempotency idempotency,
      PriceStore prices,
      AuditLog audit,
      IdSource ids) {
    this.transactions = transactions;
    this.budgets = budgets;
    this.queries = queries;
    this.idempotency = idempotency;
    this.prices = prices;
    this.audit = audit;
    this.ids = ids;
  }

  /**
   * Creates a budget. Use and reservations of its jobs in the open period count.
   *
   * @param validateOnly the response has the figures of an unused budget
   * @throws Refusal FORBIDDEN, NAME_IN_USE, INVALID_FIELD (unknown project or queue),
   *     LIMIT_EXCEEDED, IDEMPOTENCY_*, UNAVAILABLE while hours of use are not closed
   */
  public BudgetView create(
      Actor actor, NewBudget proposal, @Nullable RequestKey key, boolean validateOnly) {
    Permissions.require(actor, CREATE);
    RequestKey effective = validateOnly ? null : key;
    Optional<Budget> wanted = transactions.call(() -> wanted(actor, proposal, effective));
    ClosedUse closed =
        wanted.filter(_ -> !validateOnly).map(budgets::closed).orElse(ClosedUse.NONE);
    return written(
        validateOnly,
        () -> {
          Optional<String> earlier = idempotency.earlier(actor, CREATE, effective);
          if (earlier.isPresent()) {
            return queries.view(actor, replayed(actor, earlier.get()));
          }
          bounded(actor);
          Budget budget = budget(actor, proposal);
          budgets.insert(budget, closed, validateOnly);
          idempotency.remember(actor, CREATE, effective, budget.id().text());
          return noted(actor, CREATE, null, budget, budget.amount());
        });
  }

  /**
   * Runs all checks that need no past use. The result is empty for a request that already had its
   * effect.
   */
  private Optional<Budget> wanted(Actor actor, NewBudget proposal, @Nullable RequestKey effective) {
    boolean repeated = idempotency.earlier(actor, CREATE, effective).isPresent();
    if (repeated) {
      return Optional.empty();
    }
    bounded(actor);
    Budget budget = budget(actor, proposal);
    priced(actor, budget.unit());
    if (budgets.budgets(actor.tenant()).stream()
        .anyMatch(state -> state.budget().name().equals(budget.name()))) {
      throw taken(budget.name());
    }
    long now = budgets.now();
    ClosedUse closed = ClosedUse.upTo(budget.period().begin(now), budgets.closedTo());
    if (closed.lags(now)) {
      throw late(closed);
    }
    return Optional.of(budget);
  }

  /**
   * A requested budget.
   *
   * @param project name, null for all
   * @param queue name, null for all
   * @param budget the budget of the project and queue
   */
  public record NewBudget(
      @Nullable String project,
      @Nullable String queue,
      BiFunction<BudgetId, BudgetScope, Budget> budget) {}

  /** Creates the budget in the open transaction. */
  private Budget budget(Actor actor, NewBudget proposal) {
    BudgetScope scope = queries.scope(actor, proposal.project(), proposal.queue());
    return proposal.budget().apply(new BudgetId(ids.next()), scope);
  }

  /** Refuses a currency without prices, because the budget would never be spent. */
  private void priced(Actor actor, BudgetUnit unit) {
    if (!unit.money()) {
      return;
    }
    PriceBook book = prices.book(actor.tenant());
    Instant now = Instant.ofEpochMilli(budgets.now());
    SortedSet<String> currencies = new TreeSet<>();
    for (Price price : book.prices()) {
      Instant end = book.effective(price).to();
      boolean ofGpus = price.scope().storage() == null;
      if (ofGpus && (end == null || end.isAfter(now))) {
        currencies.add(price.perUnit().currency());
      }
    }
    if (!currencies.contains(unit.name())) {
      throw Refusal.field(
          "/currency",
          ("No price is in %s, so the budget would never be used. %s an operator for a price"
                  + " (fairlead price list lists them).")
              .formatted(
                  unit.name(),
                  currencies.isEmpty()
                      ? "Ask"
                      : "Choose one of these currencies with a price: "
                          + String.join(", ", currencies)
                          + ". Or ask"));
    }
  }

  private static Refusal late(ClosedUse closed) {
    return new Refusal(
        ProblemCode.UNAVAILABLE,
        ("Usage hours are closed only up to %s, and a new budget needs them up to %d hours ago."
                + " Retry when they are closed. fairlead doctor shows the reason for the delay.")
            .formatted(Instant.ofEpochMilli(closed.toMillis()), ClosedUse.MOST_OPEN.toHours()));
  }

  private BudgetState replayed(Actor actor, String reference) {
    return budgets.budgets(actor.tenant()).stream()
        .filter(state -> state.budget().id().text().equals(reference))
        .findFirst()
        .orElseThrow(() -> Idempotency.removed("budget"));
  }

  private void bounded(Actor actor) {
    if (budgets.budgets(actor.tenant()).size() >= MOST) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "The tenant has " + MOST + " budgets, its most. Delete one first.");
    }
  }

  /**
   * Changes amount, mode, exhaustion policy and alerts. Name, scope and period do not change.
   *
   * @param change returns the next version of the budget
   * @param expected version that the caller has read
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH
   */
  public BudgetView update(
      Actor actor, String text, UnaryOperator<Budget> change, long expected, boolean validateOnly) {
    Permissions.require(actor, "updateBudget");
    return written(
        validateOnly,
        () -> {
          Budget old = seen(actor, text, expected);
          Budget next = change.apply(old);
          budgets.update(next);
          return noted(actor, "updateBudget", old, next, next.amount());
        });
  }

  /**
   * Adds an extra amount to the open period.
   *
   * @param grant its {@code until} is the time after which no reservation may use it
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, INVALID_FIELD (expires in the past),
   *     LIMIT_EXCEEDED
   */
  public BudgetView grant(
      Actor actor, String text, Grant grant, long expected, boolean validateOnly) {
    Permissions.require(actor, "grantBudget");
    return written(
        validateOnly,
        () -> {
          long now = budgets.now();
          Instant until = grant.until();
          if (until != null && until.toEpochMilli() <= now) {
            throw past(until);
          }
          Budget old = seen(actor, text, expected);
          long last = old.period().end(now);
          Budget next =
              old.granting(
                  new BudgetGrant(
                      grant.amount(),
                      now,
                      until == null ? last : until.toEpochMilli(),
                      grant.reason()));
          if (next.grants().size() > MOST_GRANTS) {
            throw new Refusal(
                ProblemCode.LIMIT_EXCEEDED,
                "Budget \"%s\" has %d grants in this period, the maximum. Raise its amount."
                    .formatted(next.name(), MOST_GRANTS));
          }
          budgets.update(next);
          return noted(actor, "grantBudget", old, next, grant.amount());
        });
  }

  /**
   * An extra amount.
   *
   * @param amount in the unit of the budget
   * @param until null for the end of the period
   */
  public record Grant(BigInteger amount, @Nullable Instant until, String reason) {}

  private static Refusal past(Instant until) {
    return Refusal.field("/until", "until must be later than now, not " + until + ".");
  }

  /**
   * Deletes a budget with its reservations.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH
   */
  public void delete(Actor actor, String text, long expected, boolean validateOnly) {
    Permissions.require(actor, "deleteBudget");
    BudgetView _ =
        written(
            validateOnly,
            () -> {
              Budget old = seen(actor, text, expected);
              BudgetView last = noted(actor, "deleteBudget", old, null, old.amount());
              budgets.delete(old);
              return last;
            });
  }

  private Budget seen(Actor actor, String text, long expected) {
    Budget budget = queries.found(actor, text).budget();
    if (budget.version() != expected) {
      throw changed(budget.name());
    }
    return budget;
  }

  private BudgetView noted(
      Actor actor,
      String operation,
      @Nullable Budget before,
      @Nullable Budget after,
      BigInteger amount) {
    Budget budget = Objects.requireNonNull(after == null ? before : after);
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("budget", budget.name());
    BudgetUnit unit = budget.unit();
    detail.put(unit.currency() == null ? "gpuHours" : "amount", unit.text(amount));
    if (unit.currency() != null) {
      detail.put("currency", unit.currency());
    }
    audit.append(
        new AuditRecord(actor, operation, budget.id().text(), true, detail)
            .changed(before, after)
            .kept(ConfigKind.BUDGET, budget.name(), before, after));
    return queries.view(actor, replayed(actor, budget.id().text()));
  }

  private BudgetView written(boolean trial, Supplier<BudgetView> work) {
    try {
      return transactions.callOrTry(trial, work);
    } catch (Conflict refused) {
      throw refused.guard() == Conflict.Guard.NAME_TAKEN
          ? taken(refused.subject())
          : changed(refused.subject());
    }
  }

  private static Refusal changed(String name) {
    return Refusal.changed("Budget \"" + name + "\"");
  }

  private static Refusal taken(String name) {
    return Refusal.field(
        ProblemCode.NAME_IN_USE,
        "/name",
        "A budget of this tenant is named \"" + name + "\" already.",
        null);
  }
}
