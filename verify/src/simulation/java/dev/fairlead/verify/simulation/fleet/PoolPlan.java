package dev.fairlead.verify.simulation.fleet;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import dev.fairlead.verify.engine.timelapse.trace.Arrival;
import dev.fairlead.verify.engine.timelapse.trace.Trace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A trace on three clusters, before a policy is chosen.
 *
 * @param sites one cluster for each capacity type
 * @param jobs that fit into each of the clusters, by time of submission
 * @param leftOut jobs of the trace that are too large for one cluster
 * @param prices prices of a GPU-hour by capacity type, in order
 * @param spotAfter wait after which the policy that takes reserved capacity first uses spot nodes
 * @param onDemandAfter likewise on-demand nodes
 * @param reclaimed mean time until a spot node gets its notice
 */
public record PoolPlan(
    List<FleetWorld.Site> sites,
    List<PoolJob> jobs,
    int leftOut,
    Prices prices,
    Duration spotAfter,
    Duration onDemandAfter,
    Duration reclaimed,
    long seed) {
  static final List<CapacityType> TYPES =
      List.of(CapacityType.RESERVED, CapacityType.ON_DEMAND, CapacityType.SPOT);

  /** Of all nodes of the trace, in per cent, by capacity type. */
  private static final Map<CapacityType, Integer> PARTS =
      Map.of(CapacityType.RESERVED, 50, CapacityType.ON_DEMAND, 25, CapacityType.SPOT, 25);

  /**
   * Price of a GPU-hour.
   *
   * @param later price of on-demand capacity from {@link #CHANGE} on
   */
  record Prices(Money reserved, Money onDemand, Money spot, Money later) {
    /**
     * In the middle of an hour, so that the price at the start of the hour must apply to all of it.
     */
    static final Duration CHANGE = Duration.ofMinutes(750);

    /** In thousandths of a unit. */
    static Prices of(long reserved, long onDemand, long spot) {
      return new Prices(milli(reserved), milli(onDemand), milli(spot), milli(onDemand * 9 / 10));
    }

    private static Money milli(long amount) {
      return new Money(amount * 1000, "USD");
    }

    Money of(CapacityType type) {
      return switch (type) {
        case RESERVED -> reserved;
        case ON_DEMAND -> onDemand;
        case SPOT -> spot;
      };
    }
  }

  /**
   * A job and the project that submits it.
   *
   * @param home capacity type of the cluster that its project has where each has one
   */
  record PoolJob(Arrival arrival, CapacityType home) {}

  /** No job pays more than on-demand capacity costs. */
  Money cap() {
    return prices.onDemand();
  }

  PoolPlan priced(Prices others) {
    return new PoolPlan(sites, jobs, leftOut, others, spotAfter, onDemandAfter, reclaimed, seed);
  }

  static String cluster(CapacityType type) {
    return switch (type) {
      case RESERVED -> "reserved";
      case ON_DEMAND -> "on-demand";
      case SPOT -> "spot";
    };
  }

  FleetWorld.Site site(CapacityType type) {
    return sites.stream().filter(site -> site.capacity() == type).findFirst().orElseThrow();
  }

  /** Returns the GPUs of one cluster. The on-demand cluster has at most this many at a time. */
  int gpus(CapacityType type) {
    return sites.stream()
        .filter(site -> site.capacity() == type)
        .flatMap(site -> site.fleet().stream())
        .mapToInt(pool -> pool.nodes() * pool.gpusPerNode())
        .sum();
  }

  static PoolPlan of(
      Trace trace,
      Prices prices,
      Duration spotAfter,
      Duration onDemandAfter,
      Duration reclaimed,
      long seed) {
    List<FleetWorld.Site> sites = sites(trace.nodes());
    List<Arrival> fitting =
        trace.jobs().stream().filter(job -> sites.stream().allMatch(s -> fits(job, s))).toList();
    return new PoolPlan(
        sites,
        dealt(fitting, seed),
        trace.jobs().size() - fitting.size(),
        prices,
        spotAfter,
        onDemandAfter,
        reclaimed,
        seed);
  }

  /**
   * Distributes the nodes of each model and size among the clusters by their parts. Each cluster
   * gets at least one node.
   */
  private static List<FleetWorld.Site> sites(List<Node> nodes) {
    SortedMap<String, List<Node>> kinds = new TreeMap<>();
    nodes.stream()
        .filter(node -> !node.gpus().isEmpty())
        .forEach(node ->
            kinds
                .computeIfAbsent(node.gpuModel() + "/" + node.gpus().size(), k -> new ArrayList<>())
                .add(node));
    List<FleetWorld.Site> sites = new ArrayList<>();
    for (CapacityType type : TYPES) {
      List<FleetPool> fleet = new ArrayList<>();
      for (List<Node> kind : kinds.values()) {
        int count = Math.max(1, kind.size() * PARTS.getOrDefault(type, 0) / 100);
        Node one = kind.getFirst();
        fleet.add(new FleetPool(count, one.gpus().size(), one.gpuModel(), 1, 1));
      }
      sites.add(
          new FleetWorld.Site(
              cluster(type), type == CapacityType.ON_DEMAND ? oneSize(fleet) : fleet, type));
    }
    return sites;
  }

  /** Purchased nodes of a model have its largest size. */
  private static List<FleetPool> oneSize(List<FleetPool> fleet) {
    SortedMap<String, Integer> gpus = new TreeMap<>();
    SortedMap<String, Integer> largest = new TreeMap<>();
    for (FleetPool pool : fleet) {
      gpus.merge(pool.model(), pool.nodes() * pool.gpusPerNode(), Integer::sum);
      largest.merge(pool.model(), pool.gpusPerNode(), Math::max);
    }
    List<FleetPool> sizes = new ArrayList<>();
    largest.forEach((model, size) -> {
      int nodes = Math.max(1, gpus.getOrDefault(model, 0) / size);
      sizes.add(new FleetPool(nodes, size, model, 1, 1));
    });
    return sizes;
  }

  /** Returns whether an empty cluster has room for the job. */
  private static boolean fits(Arrival job, FleetWorld.Site site) {
    long each = job.gpuMilli() / job.members();
    int places = 0;
    for (FleetPool pool : site.fleet()) {
      boolean model = job.gpu().accepts(pool.model(), Long.MAX_VALUE);
      places += model && each > 0 ? (int) (pool.nodes() * (pool.gpusPerNode() * 1000L / each)) : 0;
    }
    return each > 0 && places >= job.members();
  }

  /**
   * Maps queues of the trace to the three projects: in an order given by the seed, each queue goes
   * to the project with the least work per GPU. With fewer than three queues, jobs are dealt out.
   */
  private static List<PoolJob> dealt(List<Arrival> jobs, long seed) {
    SplittableRandom chance = new SplittableRandom(seed);
    long queues = jobs.stream().map(Arrival::queue).distinct().count();
    SortedMap<Long, String> order = new TreeMap<>();
    SortedMap<String, Double> work = new TreeMap<>();
    for (Arrival job : jobs) {
      String name = queues < TYPES.size() ? job.name() : job.queue();
      double asked = (double) job.gpuMilli() * Math.max(1, job.run());
      if (work.merge(name, asked, Double::sum) == asked) {
        order.put(chance.nextLong(), name);
      }
    }
    Map<CapacityType, Double> load = new EnumMap<>(CapacityType.class);
    SortedMap<String, CapacityType> homes = new TreeMap<>();
    for (String name : order.values()) {
      CapacityType least = TYPES.getFirst();
      for (CapacityType type : TYPES) {
        if (load.getOrDefault(type, 0.0) < load.getOrDefault(least, 0.0)) {
          least = type;
        }
      }
      homes.put(name, least);
      double share = work.getOrDefault(name, 0.0) / PARTS.getOrDefault(least, 1);
      load.merge(least, share, Double::sum);
    }
    return jobs.stream()
        .map(job ->
            new PoolJob(
                job,
                homes.getOrDefault(
                    queues < TYPES.size() ? job.name() : job.queue(), CapacityType.RESERVED)))
        .toList();
  }
}
