package dev.fairlead.placement.topology;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Places members in the domains of one topology by room alone (the rules of Kueue's topology-aware
 * scheduling): the domain with the least room that holds all; inside it as few parts as possible.
 * Places are told, not taken.
 */
public final class DomainPlacer {
  private final int levels;
  private final List<Spot> spots;

  /**
   * Over the nodes of a topology.
   *
   * @param levels how many it has, widest first
   */
  public DomainPlacer(int levels, List<Spot> spots) {
    this.levels = levels;
    this.spots = spots.stream().sorted(Comparator.comparing(Spot::name)).toList();
  }

  /** Members by node name; empty when they cannot all be placed as wished. */
  public Optional<SortedMap<String, Long>> place(Wish wish) {
    return together(List.of(wish)).map(List::getFirst);
  }

  /**
   * Several wishes in one domain of the level that the first names, in the order given.
   *
   * @return members by node name for each wish; empty when they cannot all be placed
   */
  public Optional<List<SortedMap<String, Long>>> together(List<Wish> wishes) {
    Wish first = wishes.getFirst();
    if (wishes.stream().anyMatch(Wish::contradictory)) {
      return Optional.empty();
    }
    int narrowest = Math.max(first.required(), first.preferred());
    int widest = first.required() >= 0 ? first.required() : -1;
    for (int level = narrowest; level >= widest; level--) {
      Optional<List<SortedMap<String, Long>>> places = atLevel(level, wishes);
      if (places.isPresent()) {
        return places;
      }
    }
    return Optional.empty();
  }

  private Optional<List<SortedMap<String, Long>>> atLevel(int level, List<Wish> wishes) {
    List<List<Spot>> domains = new ArrayList<>();
    if (level < 0) {
      domains.add(spots);
    } else {
      domains.addAll(Domain.below(level, spots).values());
    }
    Wish largest = wishes.stream().max(Comparator.comparingLong(Wish::count)).orElseThrow();
    domains.sort(
        Comparator.comparingLong((List<Spot> inside) -> domain(level, inside, largest).holds()));
    for (List<Spot> inside : domains) {
      Optional<List<SortedMap<String, Long>>> places = inside(level, inside, wishes);
      if (places.isPresent()) {
        return places;
      }
    }
    return Optional.empty();
  }

  private Domain domain(int level, List<Spot> inside, Wish wish) {
    List<Spot> allowed = inside.stream().filter(wish.allowed()).toList();
    return Domain.of("", level, levels, allowed, wish);
  }

  /** A single member goes to each node in turn until those after it fit too. */
  private Optional<List<SortedMap<String, Long>>> inside(
      int level, List<Spot> inside, List<Wish> wishes) {
    Wish wish = wishes.getFirst();
    List<Wish> others = wishes.subList(1, wishes.size());
    if (wish.count() == 1 && !others.isEmpty()) {
      for (Spot spot : inside) {
        Optional<List<SortedMap<String, Long>>> places =
            tried(level, inside, wish.only(spot::equals), others);
        if (places.isPresent()) {
          return places;
        }
      }
      return Optional.empty();
    }
    return tried(level, inside, wish, others);
  }

  private Optional<List<SortedMap<String, Long>>> tried(
      int level, List<Spot> inside, Wish wish, List<Wish> others) {
    Domain domain = domain(level, inside, wish);
    if (domain.holds() < wish.count()) {
      return Optional.empty();
    }
    SortedMap<String, Long> places = new TreeMap<>();
    domain.fill(wish.count(), places);
    if (others.isEmpty()) {
      return Optional.of(List.of(places));
    }
    take(inside, wish, places, 1);
    Optional<List<SortedMap<String, Long>>> rest = inside(level, inside, others);
    take(inside, wish, places, -1);
    return rest.map(found -> {
      List<SortedMap<String, Long>> all = new ArrayList<>(List.of(places));
      all.addAll(found);
      return all;
    });
  }

  private static void take(List<Spot> inside, Wish wish, SortedMap<String, Long> places, int sign) {
    for (Spot spot : inside) {
      spot.take(wish.member(), sign * places.getOrDefault(spot.name(), 0L));
    }
  }
}
