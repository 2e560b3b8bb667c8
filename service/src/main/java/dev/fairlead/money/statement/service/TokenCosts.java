package dev.fairlead.money.statement.service;

import dev.fairlead.money.price.PriceStore;
import dev.fairlead.money.statement.Statement;
import dev.fairlead.money.statement.TokenLine;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.cost.ReplicaTime;
import dev.fairlead.work.serving.cost.ServiceCost;
import dev.fairlead.work.serving.key.ServiceKeyStore;
import dev.fairlead.work.serving.key.ServiceUse;
import dev.fairlead.work.serving.key.UseSpan;
import java.time.Instant;
import java.time.YearMonth;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.springframework.stereotype.Service;

/** Use of the model services of a tenant by key in a month, and its share of their cost. */
@Service
public class TokenCosts {
  private final ServiceKeyStore keys;
  private final UseLedger ledger;
  private final PriceStore prices;
  private final TenantStore tenants;

  public TokenCosts(
      ServiceKeyStore keys, UseLedger ledger, PriceStore prices, TenantStore tenants) {
    this.keys = keys;
    this.ledger = ledger;
    this.prices = prices;
    this.tenants = tenants;
  }

  /** Adds lines by project, service and key, in the open transaction. */
  void lines(TenantId tenant, YearMonth month, Consumer<TokenLine> each) {
    SequencedMap<ModelServiceId, List<ServiceUse>> services =
        keys.usage(tenant, Statement.begin(month), Statement.end(month)).stream()
            .collect(
                Collectors.groupingBy(
                    use -> use.key().service(), LinkedHashMap::new, Collectors.toList()));
    if (services.isEmpty()) {
      return;
    }
    Instant begin = Statement.begin(month);
    SortedMap<ModelServiceId, SortedMap<Instant, ServiceCost>> costs =
        ServiceCost.of(
            prices.book(),
            UseSpan.Period.MONTH,
            new TreeSet<>(List.of(begin)),
            services.keySet(),
            (cuts, to) -> ReplicaTime.of(ledger, tenant, services.keySet(), cuts, to));
    services.forEach((service, uses) -> {
      Optional<Project> project = tenants.project(tenant, uses.getFirst().project());
      TokenLine.of(
              uses,
              project.map(Project::name).orElseGet(() -> uses.getFirst().project().text()),
              project.map(Project::costCentre).orElse(null),
              cost(costs, service, begin))
          .forEach(each);
    });
  }

  private static ServiceCost cost(
      SortedMap<ModelServiceId, SortedMap<Instant, ServiceCost>> costs,
      ModelServiceId service,
      Instant begin) {
    return Objects.requireNonNull(
        Objects.requireNonNull(costs.get(service), "each service has costs").get(begin),
        "each period has a cost");
  }
}
