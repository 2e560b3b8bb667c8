package dev.fairlead.money.statement;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Divides a whole number so that the parts add up to it. */
final class Portions {
  private Portions() {}

  private record Part<K>(K key, BigInteger remainder) {}

  /**
   * Divides an amount by weight, rounded down. The remainder goes in single units to the largest
   * fractions, ties to the first keys.
   *
   * @param weights 0 or more
   * @return for each key, empty when all weights are 0
   */
  static <K extends Comparable<? super K>> SortedMap<K, BigInteger> of(
      BigInteger amount, SortedMap<K, Long> weights) {
    BigInteger all =
        weights.values().stream().map(BigInteger::valueOf).reduce(BigInteger.ZERO, BigInteger::add);
    SortedMap<K, BigInteger> parts = new TreeMap<>();
    if (all.signum() == 0) {
      return parts;
    }
    List<Part<K>> remainders = new ArrayList<>();
    BigInteger left = amount;
    for (K key : weights.keySet()) {
      BigInteger[] part =
          amount.multiply(BigInteger.valueOf(weights.get(key))).divideAndRemainder(all);
      parts.put(key, part[0]);
      remainders.add(new Part<>(key, part[1]));
      left = left.subtract(part[0]);
    }
    remainders.sort(
        Comparator.comparing((Part<K> part) -> part.remainder).reversed().thenComparing(Part::key));
    for (Part<K> part : remainders.subList(0, left.intValueExact())) {
      parts.merge(part.key, BigInteger.ONE, BigInteger::add);
    }
    return parts;
  }
}
