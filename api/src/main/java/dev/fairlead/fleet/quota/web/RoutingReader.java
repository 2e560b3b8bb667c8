package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.web.spi.PriceCapReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads routing policies from request bodies. */
final class RoutingReader {
  private static final int MOST_TIERS = 8;

  /**
   * Maximum number of pools and clusters in all tiers together: each cycle reads the whole policy.
   */
  private static final int MOST_NAMES = 64;

  private static final int MOST_MOVES = 1000;

  private static final Duration LONGEST_WAIT = Duration.ofDays(365);

  private RoutingReader() {}

  static RoutingPolicy read(Fields routing) {
    List<RoutingPolicy.Tier> tiers = new ArrayList<>();
    Optional<Value> list =
        routing.required("tiers", "the tiers in order, for example one of RESERVED capacity.");
    for (Value item : list.map(v -> v.items(MOST_TIERS)).orElse(List.of())) {
      Duration before = tiers.isEmpty() ? Duration.ZERO : tiers.getLast().after();
      item.fields().map(tier -> tier(tier, before)).ifPresent(tiers::add);
    }
    int names = tiers.stream().mapToInt(t -> t.pools().size() + t.clusters().size()).sum();
    if (names > MOST_NAMES) {
      routing.refuse(
          "tiers",
          ProblemCode.INVALID_FIELD,
          ("The tiers name %d pools and clusters, at most %d in all. Remove names that a tier"
                  + " does not need, or create a pool for those nodes.")
              .formatted(names, MOST_NAMES),
          null);
    }
    RoutingPolicy.MoveBack moveBack =
        routing.get("moveBack").flatMap(Value::fields).map(RoutingReader::moveBack).orElse(null);
    routing.done();
    return new RoutingPolicy(tiers, moveBack);
  }

  private static RoutingPolicy.MoveBack moveBack(Fields fields) {
    RoutingPolicy.MoveBack absent = RoutingPolicy.MoveBack.DEFAULT;
    int perHour =
        fields.get("perHour").flatMap(v -> v.integer(1, MOST_MOVES)).orElse(absent.perHour());
    Duration rest =
        fields
            .get("rest")
            .flatMap(v -> v.duration(Duration.ofMinutes(1), Duration.ofDays(7)))
            .orElse(absent.rest());
    fields.done();
    return new RoutingPolicy.MoveBack(perHour, rest);
  }

  private static RoutingPolicy.Tier tier(Fields tier, Duration before) {
    List<CapacityType> types =
        tier.get("capacityTypes")
            .map(v ->
                v.items(CapacityType.values().length).stream()
                    .map(item -> item.choice(CapacityType.class))
                    .flatMap(Optional::stream)
                    .toList())
            .orElse(List.of());
    List<String> pools = names(tier, "pools");
    List<String> clusters = names(tier, "clusters");
    Optional<Value> given = tier.get("after");
    Duration after =
        given.flatMap(v -> v.duration(Duration.ZERO, LONGEST_WAIT)).orElse(Duration.ZERO);
    if (after.compareTo(before) < 0) {
      tier.refuse(
          "after",
          ProblemCode.INVALID_FIELD,
          "A tier cannot open earlier than the previous tier. Set a longer wait, or change the"
              + " order of the tiers.",
          null);
    }
    Money cap = PriceCapReader.read(tier);
    RoutingPolicy.Order order =
        tier.get("order")
            .flatMap(v -> v.choice(RoutingPolicy.Order.class))
            .orElse(RoutingPolicy.Order.FIXED);
    tier.done();
    return new RoutingPolicy.Tier(types, pools, clusters, after, cap, order);
  }

  private static List<String> names(Fields tier, String field) {
    return tier.get(field)
        .map(v ->
            v.items(MOST_NAMES).stream()
                .map(item -> Names.label(item, Names.LONGEST_LABEL))
                .flatMap(Optional::stream)
                .toList())
        .orElse(List.of());
  }
}
