package dev.fairlead.money.price.service;

import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigWriter;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Adds prices to the price book. */
@Service
public class PriceCommands {
  private static final String CREATE = "createPrice";

  private final Transactions transactions;
  private final PriceStore prices;
  private final Prices queries;
  private final Idempotency idempotency;
  private final ConfigWriter changes;
  private final IdSource ids;

  /** Creates the price of a request in the transaction that stores it. */
  @FunctionalInterface
  public interface NewPrice {
    /**
     * @param now the database's time, at or before the start of the price
     * @throws Refusal INVALID_FIELD for an unknown cluster or pool
     */
    Price at(PriceId id, Instant now);
  }

  public PriceCommands(
      Transactions transactions,
      PriceStore prices,
      ConfigStore documents,
      Prices queries,
      Idempotency idempotency,
      AuditLog audit,
      IdSource ids) {
    this.transactions = transactions;
    this.prices = prices;
    this.queries = queries;
    this.idempotency = idempotency;
    this.changes = new ConfigWriter(documents, audit);
    this.ids = ids;
  }

  /**
   * @throws Refusal FORBIDDEN, INVALID_FIELD (a start in the past, a second price for one moment,
   *     unknown cluster or pool), LIMIT_EXCEEDED, IDEMPOTENCY_*
   */
  public PriceView create(
      Actor actor, NewPrice request, @Nullable RequestKey key, boolean validateOnly) {
    Permissions.require(actor, CREATE);
    RequestKey effective = validateOnly ? null : key;
    return transactions.callOrTry(
        validateOnly,
        () -> {
          Optional<String> earlier = idempotency.earlier(actor, CREATE, effective);
          return earlier.isPresent()
              ? replayed(earlier.get())
              : appended(actor, effective, request);
        });
  }

  private PriceView appended(Actor actor, @Nullable RequestKey key, NewPrice request) {
    Instant now = prices.lock();
    PriceBook book = prices.book();
    List<Price> all = new ArrayList<>(book.prices());
    if (all.size() >= PriceBook.MOST) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "The price book has %d prices, the maximum.".formatted(PriceBook.MOST));
    }
    Price price = request.at(new PriceId(ids.next()), now);
    Optional<FieldProblem> objection = book.objection(price, now);
    if (objection.isPresent()) {
      throw new Refusal(
          ProblemCode.INVALID_FIELD, objection.get().detail(), List.of(objection.get()));
    }
    changes.put(actor, CREATE, null, price.document(), detail(price));
    idempotency.remember(actor, CREATE, key, price.id().text());
    all.add(price);
    return queries.view(new PriceBook(all), price);
  }

  private static SortedMap<String, Object> detail(Price price) {
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put(
        "per" + (price.scope().storage() == null ? "GpuHour" : "GibMonth"), price.perUnit().text());
    return detail;
  }

  /** Returns the price of the earlier request. Prices are never removed. */
  private PriceView replayed(String reference) {
    PriceBook book = prices.book();
    return book.prices().stream()
        .filter(price -> price.id().text().equals(reference))
        .findFirst()
        .map(price -> queries.view(book, price))
        .orElseThrow(() -> Idempotency.removed("price"));
  }
}
