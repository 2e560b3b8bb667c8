package dev.fairlead.verify.engine.timelapse.trace;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.verify.load.replay.GangShape;
import dev.fairlead.verify.load.replay.PhillyTrace;
import dev.fairlead.verify.load.replay.QuotaShares;
import dev.fairlead.verify.load.replay.TraceJob;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;

/**
 * The Philly trace of Microsoft (ATC'19): nodes of 8 GPUs, a queue for each virtual cluster with
 * its nodes by the trace. Clusters without a size share the remainder of the whole.
 */
public final class Philly {
  private static final String FOLDER = "philly-2017";
  private static final int GPUS = 8;
  private static final long MILLI_PER_GPU = 4000;
  private static final long MIB_PER_GPU = 16_384;

  private Philly() {}

  static Trace read(ReplayPlan.Files files) {
    PhillyTrace trace =
        new PhillyTrace(
            PhillyTrace.jobs(files.jobs(FOLDER, "philly_jobs.csv.gz")),
            PhillyTrace.nodes(files.nodes(FOLDER, "philly_vc_nodes.csv")));
    SortedMap<String, Double> weights =
        QuotaShares.weights(trace.virtualClusters(), trace.nodes(), PhillyTrace.ALL_NODES);
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < PhillyTrace.ALL_NODES; i++) {
      String name = String.format(Locale.ROOT, "n%04d", i);
      nodes.add(Hardware.node(name, i, "P100", GPUS, GPUS * 6000L, GPUS * 65_536L, "r" + i / 16));
    }
    List<Arrival> jobs = new ArrayList<>();
    LocalDateTime begin = trace.jobs().isEmpty() ? null : trace.jobs().getFirst().submitted();
    for (TraceJob job : trace.jobs()) {
      GangShape shape = GangShape.of(job.gpus());
      jobs.add(
          new Arrival(
              "j" + jobs.size(),
              job.virtualCluster(),
              Duration.between(begin, job.submitted()).toSeconds(),
              job.run().toSeconds(),
              shape.members(),
              GpuRequest.whole(shape.gpusEach()),
              shape.gpusEach() * MILLI_PER_GPU,
              shape.gpusEach() * MIB_PER_GPU));
    }
    return new Trace("philly", nodes, weights, jobs);
  }
}
