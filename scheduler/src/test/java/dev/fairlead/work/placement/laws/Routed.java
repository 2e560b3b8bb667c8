package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.Validity;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Worlds of pools, most of whose queues have a routing policy, with changing prices and some jobs
 * with a price cap.
 */
final class Routed {
  private static final int LONGEST_WAIT = 12_000;

  private Routed() {}

  static World world(long seed) {
    Random random = new Random(seed + 420);
    World world = Pooled.world(seed);
    List<QuotaNode> nodes =
        world.quotaNodes().stream().map(node -> routed(node, world, random)).toList();
    PriceBook book = new PriceBook(prices(world, random));
    List<PendingJob> pending = world.pending().stream().map(job -> paying(job, random)).toList();
    return world.toBuilder().quotaNodes(nodes).prices(book).pending(pending).build();
  }

  private static PendingJob paying(PendingJob pending, Random random) {
    if (random.nextInt(3) > 0) {
      return pending;
    }
    JobSpec spec = pending.job().spec();
    PlacementSpec placement = spec.placement().with().maxPricePerGpuHour(money(random)).build();
    return Worlds.spec(pending, SmallerSpecs.with(spec, spec.roles(), placement));
  }

  private static QuotaNode routed(QuotaNode node, World world, Random random) {
    QueueSettings settings = node.queue();
    if (settings == null || random.nextInt(4) == 0) {
      return node;
    }
    List<RoutingPolicy.Tier> tiers = new ArrayList<>();
    int after = random.nextInt(3) == 0 ? random.nextInt(LONGEST_WAIT) : 0;
    for (int i = random.nextInt(3); i >= 0; i--) {
      tiers.add(tier(after, world, random));
      after += random.nextInt(LONGEST_WAIT);
    }
    return node.withQueue(settings.withRouting(new RoutingPolicy(tiers)));
  }

  private static RoutingPolicy.Tier tier(int after, World world, Random random) {
    return new RoutingPolicy.Tier(
        some(List.of(CapacityType.RESERVED, CapacityType.ON_DEMAND), random),
        random.nextInt(3) == 0 ? some(List.of("own", "shared"), random) : List.of(),
        random.nextInt(3) == 0
            ? some(world.clusters().stream().map(Cluster::name).toList(), random)
            : List.of(),
        Duration.ofSeconds(after),
        random.nextBoolean() ? money(random) : null,
        random.nextBoolean() ? RoutingPolicy.Order.CHEAPEST : RoutingPolicy.Order.FIXED);
  }

  private static <T> List<T> some(List<T> of, Random random) {
    return of.stream().filter(each -> random.nextBoolean()).toList();
  }

  private static Money money(Random random) {
    return new Money(1 + random.nextInt(4), random.nextInt(6) == 0 ? "EUR" : "USD");
  }

  private static List<Price> prices(World world, Random random) {
    List<Price> prices = new ArrayList<>();
    for (Cluster cluster : world.clusters()) {
      for (CapacityType type : List.of(CapacityType.RESERVED, CapacityType.ON_DEMAND)) {
        Instant change = world.asOf().plusSeconds(random.nextInt(LONGEST_WAIT) - LONGEST_WAIT / 2);
        if (random.nextInt(4) > 0) {
          PriceScope scope = new PriceScope(cluster.id(), null, null, type);
          prices.add(price(prices.size(), scope, Instant.EPOCH, change, random));
          prices.add(price(prices.size(), scope, change, null, random));
        }
      }
    }
    return prices;
  }

  private static Price price(
      int number, PriceScope scope, Instant from, @Nullable Instant to, Random random) {
    return new Price(
        new PriceId(new UUID(7, number)),
        scope,
        money(random),
        new Validity(from, to),
        null,
        null,
        Instant.EPOCH);
  }
}
