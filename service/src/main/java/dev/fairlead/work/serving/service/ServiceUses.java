package dev.fairlead.work.serving.service;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.cost.ReplicaTime;
import dev.fairlead.work.serving.cost.ServiceCost;
import dev.fairlead.work.serving.key.KeyHour;
import dev.fairlead.work.serving.key.ServiceKeyStore;
import dev.fairlead.work.serving.key.UseSpan;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reports the usage of model services by key, and the cost of their tokens. */
@Service
public class ServiceUses {
  private final ModelServices services;
  private final ServiceKeyStore keys;
  private final UseLedger ledger;
  private final PriceStore prices;
  private final Transactions transactions;

  public ServiceUses(
      ModelServices services,
      ServiceKeyStore keys,
      UseLedger ledger,
      PriceStore prices,
      Transactions transactions) {
    this.services = services;
    this.keys = keys;
    this.ledger = ledger;
    this.prices = prices;
    this.transactions = transactions;
  }

  /**
   * A page of the use of a service, by period and key. The cost of a period is the cost of the
   * replicas, which is divided among the keys by their tokens.
   *
   * @param after the last entry of the page before, null for the first page
   * @throws Refusal FORBIDDEN, NOT_FOUND, LIMIT_EXCEEDED for more time than {@link
   *     ServiceKeyStore#KEPT}
   */
  public List<ServiceUseView> page(
      Actor actor,
      ModelServices.Name name,
      UseSpan span,
      ServiceKeyStore.@Nullable Position after,
      int limit) {
    Permissions.require(actor, "reportServiceUsage");
    if (Duration.between(span.from(), span.to()).compareTo(ServiceKeyStore.KEPT) > 0) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "A report covers at most %d days. Request a shorter period."
              .formatted(ServiceKeyStore.KEPT.toDays()));
    }
    return transactions.read(() -> {
      ServiceState service = services.state(actor, name);
      List<KeyHour> page = keys.usage(actor.tenant(), service.id(), span, after, limit);
      return page.isEmpty() ? List.of() : priced(actor, service, span.period(), page);
    });
  }

  private List<ServiceUseView> priced(
      Actor actor, ServiceState service, UseSpan.Period period, List<KeyHour> page) {
    SortedSet<Instant> begins =
        page.stream().map(KeyHour::hour).collect(Collectors.toCollection(TreeSet::new));
    Set<ModelServiceId> one = Set.of(service.id());
    SortedMap<Instant, ServiceCost> costs =
        Objects.requireNonNull(
            ServiceCost.of(
                    prices.book(),
                    period,
                    begins,
                    one,
                    (cuts, to) -> ReplicaTime.of(ledger, actor.tenant(), one, cuts, to))
                .get(service.id()),
            "the service has costs");
    UseSpan whole = new UseSpan(period, begins.first(), period.end(begins.last()));
    SortedMap<Instant, Long> tokens = keys.tokens(actor.tenant(), service.id(), whole);
    return page.stream()
        .map(each ->
            ServiceUseView.of(
                each,
                Objects.requireNonNull(costs.get(each.hour()), "each period has a cost"),
                tokens.getOrDefault(each.hour(), 0L)))
        .toList();
  }
}
