package dev.fairlead.work.workload.simulation;

import dev.fairlead.care.supply.ProvisioningConditions;
import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyAnswer.Word;
import dev.fairlead.care.supply.SupplyCall;
import dev.fairlead.care.supply.SupplyState;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The {@code ProvisioningRequest}s of a simulated cluster. It has no autoscaler: tests set
 * conditions, and add nodes by {@link SimulatedCluster#returnNode}.
 */
public final class RequestBook {
  static final SupplyAnswer AWAY = new SupplyAnswer.Unanswered("the cluster does not answer");

  private final SortedMap<String, List<ProvisioningConditions.Condition>> requests =
      new TreeMap<>();
  private final SortedSet<String> foreign = new TreeSet<>();

  synchronized SupplyAnswer answer(SupplyCall call) {
    String name = call.request().id().objectName();
    return switch (call.action()) {
      case REQUEST -> requested(call, name);
      case RELEASE -> {
        requests.remove(name);
        yield ProvisioningConditions.says(Word.RELEASED, "");
      }
    };
  }

  private SupplyAnswer requested(SupplyCall call, String name) {
    if (foreign.contains(name)) {
      return ProvisioningConditions.foreign(name);
    }
    if (!requests.containsKey(name) && call.request().state() == SupplyState.GRANTED) {
      return ProvisioningConditions.gone(name);
    }
    return new ProvisioningConditions(requests.computeIfAbsent(name, made -> new ArrayList<>()))
        .answer();
  }

  /** Names of the existing requests. */
  public synchronized SortedSet<String> names() {
    return new TreeSet<>(requests.keySet());
  }

  /** Sets a condition like an autoscaler, and replaces one of the same type. */
  public synchronized void set(String name, ProvisioningConditions.Condition condition) {
    List<ProvisioningConditions.Condition> held = requests.get(name);
    if (held != null) {
      held.removeIf(one -> one.type().equals(condition.type()));
      held.add(condition);
    }
  }

  /** Deletes a request from outside Fairlead. */
  public synchronized void delete(String name) {
    requests.remove(name);
  }

  /** Creates a foreign request of that name. */
  public synchronized void take(String name) {
    foreign.add(name);
  }
}
