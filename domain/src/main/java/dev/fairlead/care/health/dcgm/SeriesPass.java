package dev.fairlead.care.health.dcgm;

import dev.fairlead.care.health.HealthEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the health events in one reading by comparison with the values stored before. Pure. Events
 * have equal ids for equal readings and stored values, so a repeated pass does not report twice.
 *
 * @param found events in the order of GPU and series, each with the value to store once the event
 *     is taken
 * @param quiet values to store that are not events
 * @param gone GPUs that were not read for {@link #FORGOTTEN}, and the oldest if there are too many
 *     rows
 * @param skipped numbers of skipped GPUs, and of skipped samples for {@link Reason#BAD} and {@link
 *     Reason#FULL}
 * @param strangers up to {@link #NAMED} labels of machines that the cluster does not have
 * @param disputed up to {@link #NAMED} GPUs that several machines claim
 * @param gpus judged GPUs with their nodes
 */
public record SeriesPass(
    List<Found> found,
    List<SampleRecord> quiet,
    List<String> gone,
    SortedMap<Reason, Integer> skipped,
    SortedSet<String> strangers,
    SortedSet<String> disputed,
    SortedMap<String, String> gpus) {
  /** Time without a reading after which the values of a GPU are deleted. */
  public static final Duration FORGOTTEN = Duration.ofDays(90);

  /** Most rows of a cluster, twice the series of one query. */
  static final int MOST = 200_000;

  /** A stored value of the series that every GPU has is rewritten after this time. */
  public static final Duration SEEN = Duration.ofDays(1);

  /**
   * Time without a reading after which a value counts as a GPU's first, because an earlier fault
   * may have been repaired.
   */
  private static final Duration COMPARABLE = SEEN.multipliedBy(2);

  /** Maximum number of GPUs of a node, as in a list of its devices. */
  static final int MOST_OF_NODE = 256;

  private static final int NAMED = 100;
  private static final int LONGEST = 253;
  private static final Predicate<String> UUID =
      Pattern.compile("GPU-[0-9a-zA-Z-]{1,76}").asMatchPredicate();

  /**
   * An event with the value that caused it.
   *
   * @param xid whether its code is an XID, which other monitors report too
   */
  public record Found(HealthEvent event, SampleRecord next, boolean xid) {}

  /** Reason why a sample or a GPU is skipped. */
  public enum Reason {
    /** No value, or no UUID of a GPU. */
    BAD,
    /** The cluster has no machine of that name. */
    FOREIGN,
    /** Several machines claim the GPU. */
    DISPUTED,
    /** The node has too many GPUs in the reading, so some are invented. */
    CROWDED,
    /** The cluster has too many rows. */
    FULL
  }

  /**
   * Compares a reading.
   *
   * @param nodes names of the nodes of the cluster
   * @param now time of the reading
   */
  public static SeriesPass of(
      SeriesTable table,
      List<GpuSample> samples,
      Collection<SampleRecord> stored,
      Set<String> nodes,
      Instant now) {
    Judge judge = new Judge(table, stored, nodes, now);
    samples.forEach(judge::add);
    return judge.judged();
  }

  /** Samples of a GPU. */
  private static final class Gpu {
    private final Set<String> nodes = new TreeSet<>();
    private final Set<String> strangers = new TreeSet<>();
    private final SortedMap<String, Long> values = new TreeMap<>();
    private final Set<String> bad = new TreeSet<>();
  }

  /** One comparison. */
  private static final class Judge {
    private final SeriesTable table;
    private final SortedMap<String, SortedMap<String, SampleRecord>> stored = new TreeMap<>();
    private final Set<String> nodes;
    private final Instant now;
    private final SortedMap<String, Gpu> gpus = new TreeMap<>();
    private final SortedMap<Reason, Integer> skipped = new TreeMap<>();
    private final SortedSet<String> strangers = new TreeSet<>();
    private final SortedSet<String> disputed = new TreeSet<>();
    private final List<Found> found = new ArrayList<>();
    private final List<SampleRecord> quiet = new ArrayList<>();
    private int rows;

    Judge(SeriesTable table, Collection<SampleRecord> stored, Set<String> nodes, Instant now) {
      this.table = table;
      for (SampleRecord each : stored) {
        this.stored.computeIfAbsent(each.gpu(), gpu -> new TreeMap<>()).put(each.series(), each);
      }
      this.rows = stored.size();
      this.nodes = nodes;
      this.now = now;
    }

    void add(GpuSample sample) {
      SeriesRule rule = table.find(sample.series()).orElse(null);
      if (rule == null || !UUID.test(sample.gpu())) {
        skip(Reason.BAD);
        return;
      }
      Gpu gpu = gpus.computeIfAbsent(sample.gpu(), first -> new Gpu());
      for (String node : sample.nodes()) {
        (nodes.contains(node) ? gpu.nodes : gpu.strangers).add(node);
      }
      OptionalLong value = rule.counted(sample.value());
      if (value.isEmpty()) {
        skip(Reason.BAD);
        gpu.bad.add(rule.name());
      } else {
        gpu.values.merge(rule.name(), value.getAsLong(), Math::max);
      }
    }

    private void skip(Reason why) {
      skipped.merge(why, 1, Integer::sum);
    }

    SeriesPass judged() {
      SortedMap<String, String> read = new TreeMap<>();
      gpus.forEach((uuid, gpu) -> {
        if (!gpu.values.containsKey(table.ofEveryGpu().name())) {
          return;
        }
        if (gpu.nodes.isEmpty()) {
          skip(Reason.FOREIGN);
          gpu.strangers.stream()
              .filter(name -> name.length() <= LONGEST && strangers.size() < NAMED)
              .forEach(name -> strangers.add(name));
        } else if (gpu.nodes.size() > 1) {
          skip(Reason.DISPUTED);
          if (disputed.size() < NAMED) {
            disputed.add(uuid + " on " + String.join(" and ", gpu.nodes));
          }
        } else {
          read.put(uuid, gpu.nodes.iterator().next());
        }
      });
      leaveOutCrowd(read);
      List<String> gone = gone(read.keySet());
      read.keySet().forEach(uuid -> compare(uuid, Objects.requireNonNull(gpus.get(uuid))));
      return new SeriesPass(found, quiet, gone, skipped, strangers, disputed, read);
    }

    /** Known GPUs come first, so that invented GPUs of a node displace none of them. */
    private void leaveOutCrowd(SortedMap<String, String> read) {
      SortedMap<String, Integer> ofNode = new TreeMap<>();
      List<String> inOrder = new ArrayList<>(read.keySet());
      inOrder.sort(Comparator.comparing(uuid -> !stored.containsKey(uuid)));
      for (String uuid : inOrder) {
        String node = Objects.requireNonNull(read.get(uuid));
        if (ofNode.merge(node, 1, Integer::sum) > MOST_OF_NODE) {
          read.remove(uuid);
          skip(Reason.CROWDED);
        }
      }
    }

    private void compare(String uuid, Gpu gpu) {
      SortedMap<String, SampleRecord> before =
          stored.getOrDefault(uuid, Collections.emptySortedMap());
      SampleRecord every = before.get(table.ofEveryGpu().name());
      SampleRecord known =
          every == null || every.seenAt().isBefore(now.minus(COMPARABLE)) ? null : every;
      for (SeriesRule rule : table.rules()) {
        SampleRecord own = before.get(rule.name());
        if (gpu.bad.contains(rule.name()) && !gpu.values.containsKey(rule.name())) {
          continue;
        }
        long value = gpu.values.getOrDefault(rule.name(), 0L);
        long last = own == null ? 0 : own.value();
        boolean judged = known != null || rule.first();
        if (own == null && (value > 0 || rule.equals(table.ofEveryGpu())) && ++rows > MOST) {
          rows--;
          skip(Reason.FULL);
          continue;
        }
        if (value > 0 && value != last && judged) {
          rose(rule, uuid, gpu, own == null ? known : own, last, value);
        } else if (value != last || own == null && rule.equals(table.ofEveryGpu())) {
          quiet.add(new SampleRecord(uuid, rule.name(), value, own == null ? now : own.at(), now));
        } else if (own != null
            && rule.equals(table.ofEveryGpu())
            && own.seenAt().isBefore(now.minus(SEEN))) {
          quiet.add(new SampleRecord(uuid, rule.name(), value, own.at(), now));
        }
      }
    }

    /**
     * Adds an event, unless the last one is too recent. The value is not stored then, so a later
     * pass finds the same rise.
     *
     * @param since row that the rise is compared with, null for the first value of a GPU
     */
    private void rose(
        SeriesRule rule,
        String uuid,
        Gpu gpu,
        @Nullable SampleRecord since,
        long last,
        long value) {
      if (since != null
          && since.series().equals(rule.name())
          && now.isBefore(since.at().plus(rule.every()))) {
        return;
      }
      String id =
          String.join(
              "/",
              "dcgm",
              uuid,
              rule.name(),
              String.valueOf(value),
              String.valueOf(since == null ? 0 : since.at().toEpochMilli()));
      HealthEvent event =
          new HealthEvent(
              id,
              now,
              gpu.nodes.iterator().next(),
              uuid,
              null,
              rule.codeOf(value),
              rule.message(last, value));
      found.add(
          new Found(
              event, new SampleRecord(uuid, rule.name(), value, now, now), rule.code() == null));
    }

    private long missingRows(String uuid) {
      Gpu gpu = Objects.requireNonNull(gpus.get(uuid));
      SortedMap<String, SampleRecord> before =
          stored.getOrDefault(uuid, Collections.emptySortedMap());
      return gpu.values.entrySet().stream()
          .filter(value -> value.getValue() > 0 || value.getKey().equals(table.ofEveryGpu().name()))
          .filter(value -> !before.containsKey(value.getKey()))
          .count();
    }

    /**
     * Reserves entries for the GPUs that were read, so that series of invented GPUs do not displace
     * them.
     */
    private List<String> gone(Set<String> read) {
      long wanted = read.stream().mapToLong(this::missingRows).sum();
      SortedMap<Instant, List<String>> unread = new TreeMap<>();
      stored.forEach((uuid, own) -> {
        if (!read.contains(uuid)) {
          Instant last =
              own.values().stream().map(SampleRecord::seenAt).max(Instant::compareTo).orElseThrow();
          unread.computeIfAbsent(last, time -> new ArrayList<>()).add(uuid);
        }
      });
      List<String> gone = new ArrayList<>();
      unread.forEach((last, uuids) -> {
        for (String uuid : uuids) {
          if (last.isBefore(now.minus(FORGOTTEN)) || rows + wanted > MOST) {
            gone.add(uuid);
            rows -= stored.getOrDefault(uuid, Collections.emptySortedMap()).size();
          }
        }
      });
      return gone;
    }
  }
}
