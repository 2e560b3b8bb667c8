package dev.fairlead.verify.engine.timelapse;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.verify.engine.timelapse.trace.Arrival;
import dev.fairlead.verify.engine.timelapse.trace.Hardware;
import dev.fairlead.verify.engine.timelapse.trace.Sharing;
import dev.fairlead.verify.engine.timelapse.trace.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * A trace with users and images: four queues of three users, each with four images with separate
 * run times, from minutes to hours, on 64 GPUs with five sixths in use.
 */
final class Generated {
  private static final int JOBS = 4000;
  private static final int QUEUES = 4;
  private static final int USERS = 3;
  private static final int IMAGES = 4;
  private static final int NODES = 8;
  private static final int GPUS = 8;
  private static final int[] SIZES = {1, 1, 1, 2, 4, 8};

  /** Mean seconds between two jobs, for about five sixths of the GPUs in use. */
  private static final double GAP = 250;

  private static final double SHORTEST = 300;
  private static final double SPREAD = 0.6;

  private Generated() {}

  /** Accuracy of expected starts on sets of 4,000 jobs together, with seeds from 1. */
  static Coverage coverage(int seeds, Sharing sharing, long tick) {
    return IntStream.rangeClosed(1, seeds)
        .mapToObj(seed -> Coverage.of(of(seed, JOBS), sharing, tick))
        .reduce(Coverage::plus)
        .orElseThrow();
  }

  private static Trace of(long seed, int jobs) {
    Random random = new Random(seed);
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      nodes.add(Hardware.node("n" + i, i, "H100", GPUS, GPUS * 8000L, GPUS * 65_536L, "r0"));
    }
    SortedMap<String, Double> weights = new TreeMap<>();
    double[] scales = new double[QUEUES * USERS * IMAGES];
    for (int i = 0; i < scales.length; i++) {
      scales[i] = SHORTEST * Math.exp(random.nextDouble() * 4);
      weights.put("q" + i % QUEUES, 1.0);
    }
    List<Arrival> arrivals = new ArrayList<>();
    double now = 0;
    for (int i = 0; i < jobs; i++) {
      now -= GAP * Math.log(1 - random.nextDouble());
      int kind = random.nextInt(scales.length);
      int gpus = SIZES[random.nextInt(SIZES.length)];
      double run = scales[kind] * Math.exp(SPREAD * random.nextGaussian());
      arrivals.add(
          new Arrival(
              "j" + i,
              "q" + kind % QUEUES,
              (long) now,
              Math.max(1, (long) run),
              1,
              GpuRequest.whole(gpus),
              gpus * 4000L,
              gpus * 16_384L,
              "u" + kind % (QUEUES * USERS),
              "i" + kind));
    }
    return new Trace("generated", nodes, weights, arrivals);
  }
}
