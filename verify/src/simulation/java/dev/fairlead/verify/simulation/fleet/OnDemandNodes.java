package dev.fairlead.verify.simulation.fleet;

import dev.fairlead.care.supply.NodeKind;
import dev.fairlead.care.supply.NodeProvisioner;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyAnswer.Word;
import dev.fairlead.care.supply.SupplyCall;
import dev.fairlead.verify.Percentiles;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/**
 * The provisioner of a simulated cluster that is empty at first. A request is granted immediately,
 * and its nodes boot for three to eight minutes. One request in eight is refused as a stock-out.
 * Results depend only on the seed and the order of the calls.
 */
public final class OnDemandNodes implements NodeProvisioner {
  private static final int NO_STOCK_ONE_IN = 8;
  private static final long SOONEST_MILLIS = Duration.ofMinutes(3).toMillis();
  private static final long LATEST_MILLIS = Duration.ofMinutes(8).toMillis();

  private final FleetWorld world;
  private final SimulatedCluster cluster;
  private final SplittableRandom chance;
  private final BiConsumer<Instant, Runnable> at;
  private final SortedMap<String, NodeKind> kinds = new TreeMap<>();
  private final SortedMap<String, SortedSet<String>> stock = new TreeMap<>();
  private final SortedMap<String, List<Machine>> granted = new TreeMap<>();
  private final SortedSet<String> refused = new TreeSet<>();
  private final List<Duration> boots = new ArrayList<>();
  private long nodeMillis;
  private long gpuMillis;

  /** A bought node, which joins its cluster unless it is returned before. */
  private static final class Machine {
    private final String name;
    private final int gpus;
    private Instant joined = Instant.MAX;
    private boolean back;

    private Machine(String name, int gpus) {
      this.name = name;
      this.gpus = gpus;
    }
  }

  /**
   * Removes all nodes of the cluster.
   *
   * @param at does work at a time
   */
  OnDemandNodes(
      FleetWorld world, FleetWorld.Site site, long seed, BiConsumer<Instant, Runnable> at) {
    this.world = world;
    this.cluster = world.cluster(site.name());
    this.chance = new SplittableRandom(seed);
    this.at = at;
    cluster
        .inventory()
        .nodes()
        .forEach(node -> {
          kinds.put(
              node.gpuModel(),
              new NodeKind(
                  node.gpuModel(),
                  node.gpus().size(),
                  node.gpuMemoryMiB(),
                  site.capacity(),
                  node.allocatable(),
                  new TreeMap<>()));
          stock.computeIfAbsent(node.gpuModel(), model -> new TreeSet<>()).add(node.name());
          cluster.removeNode(node.name());
        });
  }

  /** Nodes for sale, by model. */
  SortedMap<String, NodeKind> kinds() {
    return kinds;
  }

  /** Maximum number of nodes of a model. */
  int most(String model) {
    return Math.min(Supply.MOST_NODES, stock.getOrDefault(model, new TreeSet<>()).size());
  }

  @Override
  public Optional<String> refuses(Supply.Webhook webhook) {
    return Optional.empty();
  }

  @Override
  public SupplyAnswer ask(SupplyCall call) {
    String key = call.request().id().text();
    return switch (call.action()) {
      case REQUEST -> request(call, key);
      case RELEASE -> {
        granted.getOrDefault(key, List.of()).stream()
            .filter(machine -> !machine.back)
            .filter(machine -> !call.request().notHandedBack().contains(machine.name))
            .forEach(machine -> takeBack(call.supply().kind().model(), machine));
        yield says(Word.RELEASED, List.of());
      }
    };
  }

  private SupplyAnswer request(SupplyCall call, String key) {
    SortedSet<String> free = stock.getOrDefault(call.supply().kind().model(), new TreeSet<>());
    int wanted = call.request().asked().nodes();
    if (!granted.containsKey(key)
        && (refused.contains(key)
            || free.size() < wanted
            || chance.nextInt(NO_STOCK_ONE_IN) == 0)) {
      refused.add(key);
      return says(Word.REFUSED, List.of());
    }
    List<Machine> machines =
        granted.computeIfAbsent(key, k -> bought(free, wanted, call.supply().kind().gpus()));
    return says(Word.GRANTED, machines.stream().map(machine -> machine.name).toList());
  }

  private List<Machine> bought(SortedSet<String> free, int count, int gpus) {
    List<Machine> machines = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Machine machine = new Machine(free.removeFirst(), gpus);
      machines.add(machine);
      Duration boot = Duration.ofMillis(chance.nextLong(SOONEST_MILLIS, LATEST_MILLIS));
      at.accept(world.now().plus(boot), () -> join(machine, boot));
    }
    return machines;
  }

  private void join(Machine machine, Duration boot) {
    if (!machine.back) {
      machine.joined = world.now();
      boots.add(boot);
      cluster.show(machine.name, List.of(), List.of());
      cluster.returnNode(machine.name);
    }
  }

  private void takeBack(String model, Machine machine) {
    machine.back = true;
    stock.getOrDefault(model, new TreeSet<>()).add(machine.name);
    if (machine.joined.isBefore(Instant.MAX)) {
      cluster.removeNode(machine.name);
      count(machine);
    }
  }

  private void count(Machine machine) {
    long millis = Duration.between(machine.joined, world.now()).toMillis();
    nodeMillis += millis;
    gpuMillis += millis * machine.gpus;
  }

  /** Counts remaining nodes as returned now. */
  void close() {
    granted.values().stream()
        .flatMap(List::stream)
        .filter(machine -> !machine.back && machine.joined.isBefore(Instant.MAX))
        .forEach(machine -> {
          machine.back = true;
          count(machine);
        });
  }

  private static SupplyAnswer says(Word word, List<String> nodes) {
    return new SupplyAnswer.Answered(word, nodes, "", null);
  }

  /** Machines that joined the cluster. */
  int bought() {
    return boots.size();
  }

  int refusals() {
    return refused.size();
  }

  double nodeHours() {
    return nodeMillis / 3.6e6;
  }

  double gpuHours() {
    return gpuMillis / 3.6e6;
  }

  /** Time from the grant to the join. */
  Percentiles boots() {
    return new Percentiles(boots);
  }
}
