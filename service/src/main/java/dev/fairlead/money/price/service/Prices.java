package dev.fairlead.money.price.service;

import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuCatalogue;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads prices. Only roles of the platform see prices of pools of other tenants. */
@Service
public class Prices {
  private final PriceStore prices;
  private final InventoryStore inventory;
  private final PoolStore pools;

  public Prices(PriceStore prices, InventoryStore inventory, PoolStore pools) {
    this.prices = prices;
    this.inventory = inventory;
    this.pools = pools;
  }

  /** The part of the price book that the actor may read. */
  public PriceBook book(Actor actor) {
    return platform(actor) ? prices.book() : prices.book(actor.tenant());
  }

  private static boolean platform(Actor actor) {
    return actor.roles().stream().anyMatch(role -> role.scope() == Role.Scope.PLATFORM);
  }

  /**
   * The newest first.
   *
   * @param at only prices that apply at this time, or null for all
   * @param before only prices older than this price, or null for the first page
   */
  public List<PriceView> list(
      Actor actor, @Nullable Instant at, @Nullable PriceId before, int limit) {
    PriceBook book = book(actor);
    return book.prices().stream()
        .sorted(Comparator.comparing(Price::id).reversed())
        .filter(price -> before == null || price.id().compareTo(before) < 0)
        .filter(price -> at == null || book.effective(price).covers(at))
        .limit(limit)
        .map(price -> view(book, price))
        .toList();
  }

  /**
   * @throws Refusal NOT_FOUND, also for a price of a pool of another tenant
   */
  public PriceView one(Actor actor, PriceId id) {
    PriceBook book = book(actor);
    return book.price(id)
        .map(price -> view(book, price))
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "There is no price " + id.text() + "."));
  }

  PriceView view(PriceBook book, Price price) {
    ClusterId cluster = price.scope().cluster();
    return PriceView.of(
        book, price, cluster == null ? null : inventory.nameOf(cluster).orElse(cluster.text()));
  }

  /** The models that a price may name: models of the catalogue and of the fleet's GPUs. */
  public SortedSet<String> models() {
    SortedSet<String> models = new TreeSet<>();
    GpuCatalogue.models().forEach(model -> models.add(model.name()));
    inventory.fleet().nodes().forEach(node -> models.add(node.gpuModel()));
    models.remove(Flavor.CPU);
    return models;
  }

  /**
   * The cluster and the pool of a new price.
   *
   * @param cluster id or name, or null for any
   * @param pool name, or null for any
   * @return id of the cluster, or null for any
   * @throws Refusal INVALID_FIELD for an unknown cluster or pool
   */
  public @Nullable ClusterId place(@Nullable String cluster, @Nullable String pool) {
    if (pool != null && pools.pools().stream().noneMatch(p -> p.name().equals(pool))) {
      throw missing("pool", pool);
    }
    return cluster == null ? null : cluster(cluster);
  }

  private ClusterId cluster(String text) {
    try {
      return FleetNames.cluster(inventory, text).id();
    } catch (Refusal e) {
      throw missing("cluster", text);
    }
  }

  private static Refusal missing(String field, String text) {
    return Refusal.field(
        "/" + field,
        "There is no %s \"%s\". GET /api/v1/%ss lists them.".formatted(field, text, field));
  }
}
