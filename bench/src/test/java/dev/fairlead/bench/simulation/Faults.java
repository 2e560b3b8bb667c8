package dev.fairlead.bench.simulation;

import java.util.EnumMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/** Rates of faults of one run, and how many there were. Each seed draws its own mixture. */
final class Faults {
  private static final double ABSENT = 0.3;

  private final RandomGenerator chance;
  private final Map<Fault, Double> rates = new EnumMap<>(Fault.class);
  private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
  private boolean on = true;

  Faults(RandomGenerator chance) {
    this.chance = chance;
    for (Fault fault : Fault.values()) {
      double strength = chance.nextDouble();
      rates.put(fault, chance.nextDouble() < ABSENT ? 0 : fault.most * strength * strength);
    }
  }

  /** At least this often from now on. */
  void atLeast(Fault fault, double rate) {
    rates.merge(fault, rate, Math::max);
  }

  void off() {
    on = false;
  }

  boolean strikes(Fault fault) {
    boolean yes = on && chance.nextDouble() < rates.getOrDefault(fault, 0.0);
    if (yes) {
      count(fault);
    }
    return yes;
  }

  double rate(Fault fault) {
    return on ? rates.getOrDefault(fault, 0.0) : 0;
  }

  void count(Fault fault) {
    counts.merge(fault, 1, Integer::sum);
  }

  Map<Fault, Integer> counts() {
    return counts;
  }
}
