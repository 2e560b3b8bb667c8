package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Labels;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.web.spi.PriceCapReader;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PlacementSpec.JobTerm;
import dev.fairlead.work.spec.PlacementSpec.Numa;
import dev.fairlead.work.spec.PlacementSpec.Segment;
import dev.fairlead.work.spec.PlacementSpec.Spread;
import dev.fairlead.work.spec.TopologySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the placement of a job: clusters, capacity, and the topology of its members. */
final class PlacementReader {
  static final int MOST_MEMBERS = 10_000;
  private static final int MOST_NAMES = 64;
  private static final int MOST_CLASSES = 16;
  private static final int LONGEST_LEVEL = 40;
  private static final Duration LONGEST_WAIT = Duration.ofDays(30);
  private static final String PREFER = "prefer ";
  private final List<String> allowedNodeLabels;

  PlacementReader(List<String> allowedNodeLabels) {
    this.allowedNodeLabels = List.copyOf(allowedNodeLabels);
  }

  PlacementSpec read(Fields job) {
    Optional<Fields> placement = job.get("placement").flatMap(Value::fields);
    List<String> clusters =
        placement.flatMap(p -> p.get("clusters")).map(PlacementReader::names).orElse(List.of());
    List<String> pools =
        placement.flatMap(p -> p.get("pools")).map(PlacementReader::names).orElse(List.of());
    List<CapacityType> capacity =
        placement
            .flatMap(p -> p.get("capacity"))
            .map(v -> choices(v, CapacityType.class))
            .filter(list -> !list.isEmpty())
            .orElse(PlacementSpec.ANYWHERE.capacity());
    SortedMap<CapacityType, Duration> waits =
        placement.flatMap(p -> p.get("wait")).map(v -> waits(v, capacity)).orElse(new TreeMap<>());
    SortedMap<String, String> nodeLabels =
        placement.map(p -> LabelReader.nodeLabels(p, allowedNodeLabels)).orElse(new TreeMap<>());
    PriceCapReader.JobCaps caps =
        placement.map(PriceCapReader::ofJob).orElse(PriceCapReader.JobCaps.NONE);
    List<JobTerm> near =
        placement.flatMap(p -> p.get("near")).map(PlacementReader::terms).orElse(List.of());
    List<JobTerm> away =
        placement.flatMap(p -> p.get("away")).map(PlacementReader::terms).orElse(List.of());
    placement.ifPresent(Fields::done);
    return new PlacementSpec(
        clusters,
        pools,
        capacity,
        waits,
        nodeLabels,
        topology(job.get("topology")),
        job.get("segment").flatMap(Value::fields).map(PlacementReader::segment).orElse(null),
        job.get("spread").flatMap(Value::fields).map(PlacementReader::spread).orElse(null),
        job.get("class").flatMap(Names::word).orElse(null),
        job.get("avoidClasses").map(PlacementReader::classes).orElse(List.of()),
        job.get("numa").flatMap(v -> v.choice(Numa.class)).orElse(Numa.NONE),
        caps.price(),
        caps.cost(),
        near,
        away,
        List.of());
  }

  /** {@code "block"}, {@code "prefer block"}, or an object with level and mode. */
  static @Nullable TopologySpec topology(Optional<Value> value) {
    if (value.isEmpty()) {
      return null;
    }
    if (!value.get().isText()) {
      return value.get().fields().flatMap(PlacementReader::topologyObject).orElse(null);
    }
    String text = value.get().text(PREFER.length() + LONGEST_LEVEL).orElse("");
    boolean soft = text.startsWith(PREFER);
    String level = soft ? text.substring(PREFER.length()) : text;
    if (!Names.isWord(level) || level.length() > LONGEST_LEVEL) {
      value
          .get()
          .bad(
              "must be a level such as block, or \"prefer block\", not " + value.get().shown(),
              null);
      return null;
    }
    return new TopologySpec(level, soft ? TopologySpec.Mode.PREFERRED : TopologySpec.Mode.REQUIRED);
  }

  private static Optional<TopologySpec> topologyObject(Fields fields) {
    Optional<String> level = level(fields);
    TopologySpec.Mode mode =
        fields
            .get("mode")
            .flatMap(v -> v.choice(TopologySpec.Mode.class))
            .orElse(TopologySpec.Mode.REQUIRED);
    fields.done();
    return level.map(l -> new TopologySpec(l, mode));
  }

  private static Optional<String> level(Fields fields) {
    return fields.required("level", "for example block.").flatMap(Names::word);
  }

  private static @Nullable Segment segment(Fields fields) {
    Optional<Integer> size =
        fields.required("size", "members in a group.").flatMap(v -> v.integer(1, MOST_MEMBERS));
    Optional<String> level = level(fields);
    fields.done();
    return size.flatMap(s -> level.map(l -> new Segment(s, l))).orElse(null);
  }

  private static @Nullable Spread spread(Fields fields) {
    Optional<Integer> most =
        fields
            .required("maxPerDomain", "members in one domain.")
            .flatMap(v -> v.integer(1, MOST_MEMBERS));
    Optional<String> level = level(fields);
    fields.done();
    return most.flatMap(m -> level.map(l -> new Spread(l, m))).orElse(null);
  }

  private static List<String> names(Value value) {
    return value.items(MOST_NAMES).stream()
        .map(v -> Names.label(v, Names.LONGEST_LABEL))
        .flatMap(Optional::stream)
        .distinct()
        .toList();
  }

  private static List<JobTerm> terms(Value value) {
    return value.items(PlacementSpec.MOST_TERMS).stream()
        .map(Value::fields)
        .flatMap(Optional::stream)
        .map(PlacementReader::term)
        .flatMap(Optional::stream)
        .distinct()
        .toList();
  }

  private static Optional<JobTerm> term(Fields fields) {
    Optional<SortedMap<String, String>> jobs =
        fields
            .required("jobs", "labels of other jobs, for example {app: cache}.")
            .map(labels -> {
              SortedMap<String, String> read = Labels.read(labels, JobTerm.MOST_LABELS);
              if (read.isEmpty()) {
                labels.bad("must contain at least one label of the other jobs", null);
              }
              return read;
            });
    String within = fields.get("within").flatMap(Names::word).orElse(JobTerm.HOST);
    fields.done();
    return jobs.filter(labels -> !labels.isEmpty()).map(labels -> new JobTerm(labels, within));
  }

  private static List<String> classes(Value value) {
    return value.items(MOST_CLASSES).stream()
        .map(Names::word)
        .flatMap(Optional::stream)
        .distinct()
        .toList();
  }

  static <E extends Enum<E>> List<E> choices(Value value, Class<E> type) {
    return choices(value, Arrays.asList(type.getEnumConstants()));
  }

  /** A list without repetitions. */
  static <E extends Enum<E>> List<E> choices(Value value, List<E> allowed) {
    List<E> chosen = new ArrayList<>();
    for (Value item : value.items(allowed.size() * 2)) {
      Optional<E> choice = item.choice(allowed);
      if (choice.isPresent() && chosen.contains(choice.get())) {
        item.bad("is given twice", null);
      } else {
        choice.ifPresent(chosen::add);
      }
    }
    return chosen;
  }

  private static SortedMap<CapacityType, Duration> waits(Value value, List<CapacityType> capacity) {
    SortedMap<CapacityType, Duration> waits = new TreeMap<>();
    value
        .entries(CapacityType.values().length)
        .forEach((name, wait) -> {
          Optional<CapacityType> type =
              capacity.stream().filter(c -> c.name().equals(name)).findFirst();
          if (type.isEmpty()) {
            wait.refuse(
                ProblemCode.CONFLICTING_FIELDS,
                "wait names capacity types of this job only: " + capacity,
                null);
          } else {
            wait.duration(Duration.ZERO, LONGEST_WAIT).ifPresent(d -> waits.put(type.get(), d));
          }
        });
    return waits;
  }
}
