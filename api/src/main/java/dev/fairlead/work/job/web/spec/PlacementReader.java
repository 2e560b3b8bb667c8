package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PlacementSpec.Numa;
import dev.fairlead.work.spec.PlacementSpec.Segment;
import dev.fairlead.work.spec.PlacementSpec.Spread;
import dev.fairlead.work.spec.TopologySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the placement of a job: clusters, capacity, and the topology of its members. */
final class PlacementReader {
  static final int MOST_MEMBERS = 10_000;
  private static final int MOST_CLASSES = 16;
  private static final int LONGEST_LEVEL = 40;
  private static final String PREFER = "prefer ";
  private final List<String> allowedNodeLabels;

  PlacementReader(List<String> allowedNodeLabels) {
    this.allowedNodeLabels = List.copyOf(allowedNodeLabels);
  }

  PlacementSpec read(Fields job) {
    job.get("placement")
        .flatMap(Value::fields)
        .ifPresent(given -> LabelReader.checkNodeLabels(given, allowedNodeLabels));
    PlacementRequest placement =
        BodyBinder.part(job, "placement", PlacementRequest.class).orElse(PlacementRequest.ANYWHERE);
    return new PlacementSpec(
        placement.clusterNames(),
        placement.poolNames(),
        placement.types(),
        placement.waitsByType(),
        placement.labels(),
        topology(job.get("topology")),
        job.get("segment").flatMap(Value::fields).map(PlacementReader::segment).orElse(null),
        job.get("spread").flatMap(Value::fields).map(PlacementReader::spread).orElse(null),
        job.get("class").flatMap(Names::word).orElse(null),
        job.get("avoidClasses").map(PlacementReader::classes).orElse(List.of()),
        job.get("numa").flatMap(v -> v.choice(Numa.class)).orElse(Numa.NONE),
        placement.price(),
        placement.cost(),
        PlacementRequest.terms(placement.near()),
        PlacementRequest.terms(placement.away()),
        List.of());
  }

  /** {@code "block"}, {@code "prefer block"}, or an object with level and mode. */
  static @Nullable TopologySpec topology(Optional<Value> value) {
    if (value.isEmpty()) {
      return null;
    }
    if (!value.get().isText()) {
      return BodyBinder.part(value.get(), SubmitJobRequest.Topology.class)
          .map(SubmitJobRequest.Topology::spec)
          .orElse(null);
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

  private static List<String> classes(Value value) {
    return value.items(MOST_CLASSES).stream()
        .map(Names::word)
        .flatMap(Optional::stream)
        .distinct()
        .toList();
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
}
