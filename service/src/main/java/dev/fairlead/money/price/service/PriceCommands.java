package dev.fairlead.money.price.service;

import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.price.Commitment;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.money.price.Validity;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Appends to the price book, one price after the other. */
@Service
public class PriceCommands {
  private static final String CREATE = "createPrice";

  private final Transactions transactions;
  private final PriceStore prices;
  private final Prices queries;
  private final Idempotency oneEffect;
  private final AuditLog audit;
  private final IdSource ids;

  public PriceCommands(
      Transactions transactions,
      PriceStore prices,
      Prices queries,
      Idempotency oneEffect,
      AuditLog audit,
      IdSource ids) {
    this.transactions = transactions;
    this.prices = prices;
    this.queries = queries;
    this.oneEffect = oneEffect;
    this.audit = audit;
    this.ids = ids;
  }

  /**
   * @throws Refusal FORBIDDEN, INVALID_FIELD (a start in the past, a second price for one moment,
   *     no such cluster or pool), LIMIT_EXCEEDED, IDEMPOTENCY_*
   */
  public PriceView create(
      Actor actor, PriceDraft draft, @Nullable RequestKey key, boolean validateOnly) {
    Permissions.require(actor, CREATE);
    RequestKey effective = validateOnly ? null : key;
    AtomicReference<PriceView> view = new AtomicReference<>();
    transactions.runOrTry(
        validateOnly,
        () -> {
          Optional<String> earlier = oneEffect.earlier(actor, CREATE, effective);
          view.set(
              earlier.isPresent() ? replayed(earlier.get()) : appended(actor, effective, draft));
        });
    return Objects.requireNonNull(view.get(), "the work was done");
  }

  private PriceView appended(Actor actor, @Nullable RequestKey key, PriceDraft draft) {
    Instant now = prices.lock();
    List<Price> all = new ArrayList<>(prices.prices());
    if (all.size() >= PriceBook.MOST) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED, "The price book has " + PriceBook.MOST + " rows, its most.");
    }
    Price price = price(draft, now);
    Optional<FieldProblem> objection = new PriceBook(all).objection(price, now);
    if (objection.isPresent()) {
      throw new Refusal(
          ProblemCode.INVALID_FIELD, objection.get().detail(), List.of(objection.get()));
    }
    prices.insert(price);
    oneEffect.remember(actor, CREATE, key, price.id().text());
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put(
        "per" + (price.scope().storage() == null ? "GpuHour" : "GibMonth"), price.perUnit().text());
    audit.append(
        new AuditRecord(actor, CREATE, price.id().text(), true, detail)
            .changed(null, price)
            .kept(ConfigKind.PRICE, price.id().text(), null, price));
    all.add(price);
    return queries.view(new PriceBook(all), price);
  }

  private Price price(PriceDraft draft, Instant now) {
    Instant from = draft.from();
    Validity validity = new Validity(from == null ? now : from, draft.to());
    return new Price(
        new PriceId(ids.next()),
        queries.scope(draft),
        perGpuHour(draft, validity),
        validity,
        draft.replaces(),
        draft.commitment(),
        now);
  }

  /** A time that the price book refuses is refused there. */
  private static Money perGpuHour(PriceDraft draft, Validity validity) {
    Commitment commitment = draft.commitment();
    Instant to = validity.to();
    if (commitment == null || to == null || validity.empty()) {
      return draft.perUnit();
    }
    BigDecimal rate = commitment.perGpuHour(Duration.between(validity.from(), to));
    if (rate.compareTo(BigDecimal.valueOf(Money.MOST_MICROS)) > 0) {
      throw bad(
          "/commitment/amount",
          "That is more than 1000000 %s for a GPU-hour. Give what all GPUs cost for the whole time."
              .formatted(draft.perUnit().currency()));
    }
    return new Money(rate.longValueExact(), draft.perUnit().currency());
  }

  private static Refusal bad(String pointer, String detail) {
    return new Refusal(
        ProblemCode.INVALID_FIELD,
        detail,
        List.of(new FieldProblem(pointer, ProblemCode.INVALID_FIELD, detail, null)));
  }

  /** Prices stay, so what was remembered is there. */
  private PriceView replayed(String reference) {
    PriceBook book = new PriceBook(prices.prices());
    return book.prices().stream()
        .filter(price -> price.id().text().equals(reference))
        .findFirst()
        .map(price -> queries.view(book, price))
        .orElseThrow(() -> Idempotency.removed("price"));
  }
}
