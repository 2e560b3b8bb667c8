package dev.fairlead.verify.simulation.world;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** Fault rates of a run, and the number of faults. Each seed draws a separate mix. */
public final class FaultRates {
  private static final double ABSENT = 0.3;

  private final RandomGenerator chance;
  private final Map<Fault, Double> rates = new EnumMap<>(Fault.class);
  private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
  private RandomGenerator areas;
  private Consumer<Fault> listener = fault -> {};
  private boolean on = true;

  public FaultRates(RandomGenerator chance) {
    this.chance = chance;
    this.areas = chance;
    draw(chance, false);
  }

  /** Is called for each fault. */
  public void listen(Consumer<Fault> to) {
    listener = to;
  }

  /** Adds the faults of areas, which draw from a separate random source. */
  public void ofAreas(RandomGenerator from) {
    areas = from;
    draw(from, true);
  }

  private void draw(RandomGenerator from, boolean ofAreas) {
    for (Fault fault : Fault.values()) {
      if (fault.ofAreas() == ofAreas) {
        double strength = from.nextDouble();
        rates.put(fault, from.nextDouble() < ABSENT ? 0 : fault.most * strength * strength);
      }
    }
  }

  /** Raises the rate of the fault to at least this rate. */
  public void atLeast(Fault fault, double rate) {
    rates.merge(fault, rate, Math::max);
  }

  public void off() {
    on = false;
  }

  public boolean strikes(Fault fault) {
    RandomGenerator from = fault.ofAreas() ? areas : chance;
    boolean yes = on && from.nextDouble() < rates.getOrDefault(fault, 0.0);
    if (yes) {
      count(fault);
    }
    return yes;
  }

  public double rate(Fault fault) {
    return on ? rates.getOrDefault(fault, 0.0) : 0;
  }

  public void count(Fault fault) {
    counts.merge(fault, 1, Integer::sum);
    listener.accept(fault);
  }

  public Map<Fault, Integer> counts() {
    return counts;
  }
}
