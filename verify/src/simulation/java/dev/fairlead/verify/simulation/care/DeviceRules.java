package dev.fairlead.verify.simulation.care;

import dev.fairlead.work.workload.kubernetes.dra.SeenTaintRule;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The DeviceTaintRules of a cluster, which other users delete and create too. */
public final class DeviceRules {
  private static final String OTHERS = "others-";
  private final SortedMap<String, SeenTaintRule> rules = new TreeMap<>();
  private final Runnable changed;

  /** Whether the API server refuses changes by Fairlead. */
  boolean refused;

  private int others;

  DeviceRules(Runnable changed) {
    this.changed = changed;
  }

  SortedMap<String, SeenTaintRule> all() {
    return rules;
  }

  /** Creates or changes a rule, or removes it for null. */
  void put(String name, @Nullable SeenTaintRule rule) {
    if (rule == null) {
      rules.remove(name);
    } else {
      rules.put(name, rule);
    }
    changed.run();
  }

  /** Others delete rules of Fairlead. */
  void deleteOwn() {
    rules.keySet().removeIf(name -> !name.startsWith(OTHERS));
    changed.run();
  }

  /** Others delete any rule. */
  void deleteOne(RandomGenerator chance) {
    List<String> names = List.copyOf(rules.keySet());
    if (!names.isEmpty()) {
      put(names.get(chance.nextInt(names.size())), null);
    }
  }

  /** Others taint a device. Returns the name of the rule. */
  String taint(String pool, String device) {
    others++;
    String name = OTHERS + others;
    put(name, new SeenTaintRule(name, null, pool, device, "", true));
    return name;
  }

  /** Returns whether a device has a taint of others. */
  boolean others(String pool, String device) {
    return rules.values().stream()
        .anyMatch(rule -> rule.name().startsWith(OTHERS) && names(rule, pool, device));
  }

  /** Returns whether a device has a taint. */
  boolean any(String pool, String device) {
    return rules.values().stream().anyMatch(rule -> names(rule, pool, device));
  }

  private static boolean names(SeenTaintRule rule, String pool, String device) {
    return pool.equals(rule.pool()) && device.equals(rule.device());
  }

  /** Devices with a taint of Fairlead, as pool and device. */
  List<String> own() {
    return rules.values().stream()
        .filter(rule -> !rule.name().startsWith(OTHERS))
        .map(rule -> rule.pool() + "/" + rule.device())
        .sorted()
        .toList();
  }
}
