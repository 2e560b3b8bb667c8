package dev.fairlead.work.placement.share;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Division of one resource into deserved shares, from the root down (the fair share of
 * KAI-Scheduler, {@code resource_division}). First each claim gets its full quota. Then the rest is
 * divided by weight, highest priority first, in rounds of whole units. Finally single units go to
 * claims that were rounded down, largest fraction first.
 */
public final class DeservedShares {
  private static final double EPSILON = 1e-9;

  private final SortedMap<String, Double> shares = new TreeMap<>();
  private final SortedMap<String, Double> cut = new TreeMap<>();

  private DeservedShares() {}

  /**
   * Returns the shares by name of the claim.
   *
   * @param total units to divide, 0 or more
   * @param claims claims of a tree. A claim with a missing parent gets nothing
   */
  public static SortedMap<String, Double> divide(double total, List<Claim> claims) {
    DeservedShares division = new DeservedShares();
    division.level(total, null, claims);
    return division.shares;
  }

  private void level(double total, @Nullable String parent, List<Claim> all) {
    List<Claim> here = all.stream().filter(c -> Objects.equals(c.parent(), parent)).toList();
    double rest = total - quotas(total, here);
    for (int priority : priorities(here)) {
      rest = rounds(rest, here.stream().filter(c -> c.priority() == priority).toList());
    }
    singles(rest, here);
    for (Claim claim : here) {
      level(share(claim), claim.name(), all);
    }
  }

  private double quotas(double total, List<Claim> claims) {
    double given = 0;
    for (Claim claim : claims) {
      double quota = claim.quota() == Claim.UNLIMITED ? total : claim.quota();
      double share = Math.min(quota, claim.wanted());
      shares.put(claim.name(), share);
      given += share;
    }
    return given;
  }

  private static List<Integer> priorities(List<Claim> claims) {
    return claims.stream()
        .map(Claim::priority)
        .distinct()
        .sorted(Comparator.reverseOrder())
        .toList();
  }

  /** Divides by weight in rounds among claims of one priority and returns the remainder. */
  private double rounds(double rest, List<Claim> claims) {
    double left = rest;
    boolean again = true;
    while (again && left > EPSILON) {
      List<Claim> open = claims.stream().filter(c -> missing(c) > EPSILON).toList();
      double weights = open.stream().mapToDouble(Claim::weight).sum();
      if (weights <= 0) {
        return left;
      }
      double atStart = left;
      again = false;
      for (Claim claim : open) {
        double part = atStart * claim.weight() / weights;
        again |= missing(claim) < part;
        left -= give(claim, part);
      }
    }
    return left;
  }

  private double give(Claim claim, double part) {
    double given = missing(claim);
    if (given > part) {
      given = Math.floor(part);
      cut.put(claim.name(), part - given);
    } else {
      cut.remove(claim.name());
    }
    shares.put(claim.name(), share(claim) + given);
    return given;
  }

  private void singles(double rest, List<Claim> claims) {
    List<Claim> order = new ArrayList<>(claims);
    order.removeIf(c -> cut.getOrDefault(c.name(), 0.0) <= 0);
    order.sort(
        Comparator.comparingInt((Claim c) -> -c.priority())
            .thenComparingDouble(c -> -cut.getOrDefault(c.name(), 0.0))
            .thenComparingLong(Claim::created)
            .thenComparing(Claim::name));
    double left = rest;
    for (Claim claim : order) {
      double given = Math.min(1, Math.max(0, left));
      shares.put(claim.name(), share(claim) + given);
      left -= given;
    }
  }

  private double share(Claim claim) {
    return shares.getOrDefault(claim.name(), 0.0);
  }

  private double missing(Claim claim) {
    return claim.wanted() - share(claim);
  }
}
