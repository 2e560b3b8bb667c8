package dev.fairlead.verify.engine.fgd;

import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.verify.load.replay.TraceTable;
import dev.fairlead.work.placement.shape.MemberShape;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Lists without published figures: the public nodes or pods redrawn, thinned out or mixed
 * differently, with fixed seeds.
 */
final class DerivedLists {
  private static final String OPENB = "openb_pod_list_";

  /** A large node of the public list. */
  private static final NodeList.Kind EQUAL = new NodeList.Kind(8, 96_000, 786_432, "G2");

  private static final long SPOT_MIB_PER_CORE = 4_096;

  private final Path traces;
  private final List<NodeList.Kind> nodes;
  private final List<MemberShape> pods;

  /** Nodes and their pods. */
  record Own(NodeList nodes, PodList pods) {}

  /**
   * @param traces directory of the public traces
   * @param nodes public list of nodes
   */
  DerivedLists(Path traces, Path nodes) {
    this.traces = traces;
    this.nodes = NodeList.read(nodes).kinds();
    this.pods = list("default");
  }

  List<Own> all() {
    List<MemberShape> redrawn = drawn(pods, pods.size());
    List<MemberShape> even = mapped(pods, new Sizes(new Random(1))::even);
    List<NodeList.Kind> equal = Collections.nCopies(400, EQUAL);
    return List.of(
        own("default redrawn", nodes, redrawn),
        own("600 nodes drawn", drawn(nodes, 600), pods),
        own("nodes of 8 GPUs", kept(nodes, n -> n.gpus() == 8), pods),
        own("500 nodes of fewer", drawn(kept(nodes, n -> n.gpus() < 8), 500), pods),
        own("three quarters of the cores", mapped(nodes, DerivedLists::fewerCores), pods),
        own("400 equal nodes", equal, joined(list("multigpu40"), list("gpushare80"))),
        own("400 equal nodes, even sizes", equal, even),
        own("1,500 spot nodes", drawn(spot(), 1_500), redrawn),
        own("fractions only", nodes, kept(pods, DerivedLists::part)),
        own("whole GPUs only", nodes, kept(pods, pod -> !part(pod))),
        own("8 times the multi-GPU jobs", nodes, times(8, pods, DerivedLists::several)),
        own("3 times the jobs without GPU", nodes, times(3, pods, pod -> !pod.asksGpu())),
        own("every fraction a half", nodes, mapped(pods, DerivedLists::half)),
        own("even sizes", nodes, even),
        own("600 nodes, gpuspec10", drawn(nodes, 600), list("gpuspec10")),
        own("20 % name a model", nodes, naming(20)),
        own("25 % name a model", nodes, naming(25)),
        own("33 % name a model", nodes, naming(33)));
  }

  private static Own own(String name, List<NodeList.Kind> nodes, List<MemberShape> pods) {
    return new Own(NodeList.of(nodes), new PodList(name, pods));
  }

  private List<MemberShape> list(String name) {
    return PodList.read(traces.resolve("alibaba-gpu-v2023").resolve(OPENB + name + ".csv")).pods();
  }

  /** The list of 2026 has no memory. */
  private List<NodeList.Kind> spot() {
    Path file = traces.resolve("alibaba-v2026-spot-gpu").resolve("node_info_df.csv");
    return new TraceTable(file)
        .rows(row -> {
          int gpus = row.field("gpu_capacity_num", "a number", t -> PodList.within(t, 0, 64));
          int cores = row.field("cpu_num", "a number", t -> PodList.within(t, 0, 10_000));
          String model = row.field("gpu_model", "a GPU model", String::strip);
          return new NodeList.Kind(gpus, cores * 1_000L, cores * SPOT_MIB_PER_CORE, model);
        });
  }

  /**
   * As many pods with and without GPUs as in {@code gpuspec10}. This percentage of the pods with
   * GPUs names a model.
   */
  private List<MemberShape> naming(int percent) {
    List<MemberShape> from = list("gpuspec10");
    List<MemberShape> naming = kept(from, pod -> !pod.gpu().models().isEmpty());
    List<MemberShape> open = kept(from, pod -> pod.asksGpu() && pod.gpu().models().isEmpty());
    int all = naming.size() + open.size();
    int named = Math.round(all * percent / 100f);
    return joined(
        kept(from, pod -> !pod.asksGpu()), joined(drawn(naming, named), drawn(open, all - named)));
  }

  private static boolean part(MemberShape pod) {
    return pod.gpu().kind() == GpuRequest.Kind.FRACTION;
  }

  private static boolean several(MemberShape pod) {
    return PodList.milli(pod) > Gpu.WHOLE_MILLI;
  }

  private static MemberShape half(MemberShape pod) {
    return part(pod)
        ? PodList.shape(PodList.request(1, 500), pod.cpuMilli(), pod.memoryMiB())
        : pod;
  }

  private static NodeList.Kind fewerCores(NodeList.Kind node) {
    return new NodeList.Kind(node.gpus(), node.cpuMilli() * 3 / 4, node.memoryMiB(), node.model());
  }

  private static <T> List<T> drawn(List<T> from, int count) {
    Random random = new Random(count);
    return Stream.generate(() -> from.get(random.nextInt(from.size()))).limit(count).toList();
  }

  private static <T> List<T> kept(List<T> from, Predicate<T> which) {
    return from.stream().filter(which).toList();
  }

  private static <T> List<T> mapped(List<T> from, UnaryOperator<T> change) {
    return from.stream().map(change).toList();
  }

  private static <T> List<T> joined(List<T> first, List<T> second) {
    List<T> both = new ArrayList<>(first);
    both.addAll(second);
    return both;
  }

  private static <T> List<T> times(int count, List<T> from, Predicate<T> which) {
    return from.stream()
        .flatMap(one -> Collections.nCopies(which.test(one) ? count : 1, one).stream())
        .toList();
  }

  /** Draws the request of a pod with GPUs: a tenth, parts, one, and up to eight, equally often. */
  private record Sizes(Random random) {
    private static final List<GpuRequest> SIZES =
        List.of(
            PodList.request(1, 100),
            PodList.request(1, 250),
            PodList.request(1, 500),
            PodList.request(1, 750),
            PodList.request(1, 1_000),
            PodList.request(2, 1_000),
            PodList.request(4, 1_000),
            PodList.request(8, 1_000));

    MemberShape even(MemberShape pod) {
      return pod.asksGpu()
          ? PodList.shape(SIZES.get(random.nextInt(SIZES.size())), pod.cpuMilli(), pod.memoryMiB())
          : pod;
    }
  }
}
