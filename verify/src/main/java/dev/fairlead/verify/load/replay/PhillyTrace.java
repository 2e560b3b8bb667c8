package dev.fairlead.verify.load.replay;

import dev.fairlead.verify.BadInput;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The Philly trace of Microsoft (ATC'19): jobs by time of submission, and the nodes of its virtual
 * clusters.
 *
 * @param jobs all, sorted by time of submission. Equal times retain the order of the file
 * @param nodes nodes of the virtual clusters with a known size
 */
public record PhillyTrace(List<TraceJob> jobs, SortedMap<String, Integer> nodes) {
  /** Nodes of the whole cluster: column {@code total} of the trace's node series. */
  public static final int ALL_NODES = 420;

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

  /**
   * Reads {@code philly-2017/} below the directory of the traces.
   *
   * @throws BadInput when it is absent or broken
   */
  public static PhillyTrace read(Path traces) {
    Path directory = traces.resolve("philly-2017");
    if (!Files.isDirectory(directory)) {
      throw new BadInput(
          "no trace in "
              + directory
              + ". Set FAIRLEAD_TRACES to the directory that holds philly-2017/philly_jobs.csv.gz"
              + " and philly-2017/philly_vc_nodes.csv");
    }
    return new PhillyTrace(
        jobs(directory.resolve("philly_jobs.csv.gz")),
        nodes(directory.resolve("philly_vc_nodes.csv")));
  }

  public static List<TraceJob> jobs(Path file) {
    return new TraceTable(file)
            .rows(row ->
                new TraceJob(
                    row.field(
                        "timestamp",
                        "a time like 2017-10-09 07:01:55",
                        t -> LocalDateTime.parse(t, TIME)),
                    row.field("duration", "seconds, 0 or more", PhillyTrace::seconds),
                    row.field("num_gpus", "a whole number, 1 or more", PhillyTrace::positive),
                    row.field("cluster", "the id of a virtual cluster", PhillyTrace::label)))
            .stream()
            .sorted(Comparator.comparing(TraceJob::submitted))
            .toList();
  }

  public static SortedMap<String, Integer> nodes(Path file) {
    SortedMap<String, Integer> nodes = new TreeMap<>();
    new TraceTable(file)
        .rows(row ->
            nodes.put(
                row.field("vc", "the id of a virtual cluster", PhillyTrace::label),
                row.field("node num", "a whole number, 1 or more", PhillyTrace::positive)));
    return nodes;
  }

  /** Virtual clusters of all jobs and sizes. */
  public SortedSet<String> virtualClusters() {
    SortedSet<String> all = new TreeSet<>(nodes.keySet());
    jobs.forEach(job -> all.add(job.virtualCluster()));
    return all;
  }

  private static Duration seconds(String text) {
    BigDecimal millis = new BigDecimal(text).movePointRight(3);
    if (millis.signum() < 0) {
      throw new IllegalArgumentException(text);
    }
    return Duration.ofMillis(millis.longValueExact());
  }

  private static Integer positive(String text) {
    Integer number = Integer.valueOf(text);
    if (number < 1) {
      throw new IllegalArgumentException(text);
    }
    return number;
  }

  private static String label(String text) {
    if (!text.matches("[a-z0-9]{1,32}")) {
      throw new IllegalArgumentException(text);
    }
    return text;
  }
}
