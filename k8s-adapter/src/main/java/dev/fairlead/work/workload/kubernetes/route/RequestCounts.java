package dev.fairlead.work.workload.kubernetes.route;

import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.SafeHttps;
import dev.fairlead.kernel.egress.ServerUrl;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceRoute;
import dev.fairlead.work.serving.TrafficCount;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.HttpsURLConnection;
import org.jspecify.annotations.Nullable;

/**
 * Counts the requests of each version by the histogram of Traefik, which has a series for each
 * Service and status. Only increases between two scrapes of the same process count, so several
 * gateway pods behind one address and their restarts add up. Not thread-safe.
 */
final class RequestCounts {
  private static final int LARGEST = 16 * 1024 * 1024;
  private static final int LONGEST_MESSAGE = 200;
  private static final int SERVER_ERROR = 500;
  private static final double NANOS = 1e9;
  private static final double MILLIS = 1e3;

  /** Gateway pods that are remembered. A forgotten process loses the requests until it returns. */
  private static final int MOST_PROCESSES = 64;

  /** Shorter than the silence after which the other clusters are the load of a service. */
  private static final Duration LATE = Duration.ofMinutes(5);

  private static final String HISTOGRAM = "traefik_service_request_duration_seconds_bucket{";
  private static final String SUM = "traefik_service_request_duration_seconds_sum{";
  private static final String STARTED = "process_start_time_seconds ";

  /** Traefik's name of a backend: route, Service and the number of the backend in its rule. */
  private static final Pattern SERVICE =
      Pattern.compile(
          "service=\"[^\"]*-svc-fairlead-[a-z0-9-]*-fl-([0-9a-z]{26})-v([0-9]{1,5})-[0-9]+@");

  private static final Pattern CODE = Pattern.compile("code=\"([0-9]{1,3})\"");
  private static final Pattern BOUND = Pattern.compile("le=\"([^\"]+)\"");

  private final EgressPolicy egress;
  private final Duration most;
  private final InstantSource clock;
  private final Map<Version, TrafficCount> counts = new HashMap<>();
  private final Map<String, Map<Version, Seen>> processes =
      new LinkedHashMap<>(MOST_PROCESSES, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Map<Version, Seen>> eldest) {
          return size() > MOST_PROCESSES;
        }
      };

  private @Nullable Long epoch;
  private @Nullable Instant countedAt;

  /**
   * @param most duration of one scrape
   */
  RequestCounts(EgressPolicy egress, Duration most, InstantSource clock) {
    this.egress = egress;
    this.most = most;
    this.clock = clock;
  }

  private record Version(ModelServiceId service, int number) {}

  /** The counters of one process under one limit for slow responses. */
  private record Seen(TrafficCount count, Duration slowerThan) {}

  /**
   * Responses by the upper bound of their latency in seconds, for each status.
   *
   * @param seconds latencies of all responses, in parts that add up
   */
  private record Latencies(
      SortedMap<Integer, SortedMap<Double, Long>> byCode, List<Double> seconds) {
    Latencies() {
      this(new TreeMap<>(), new ArrayList<>());
    }

    /**
     * A response counts as slow only above the next bound of the histogram, so that no fast
     * response counts as slow.
     */
    TrafficCount count(Duration slowerThan) {
      double limit = slowerThan.toNanos() / NANOS;
      long requests = 0;
      long bad = 0;
      for (var each : byCode.entrySet()) {
        SortedMap<Double, Long> bounds = each.getValue();
        long all = bounds.getOrDefault(Double.POSITIVE_INFINITY, 0L);
        SortedMap<Double, Long> above = bounds.tailMap(limit);
        long fast = above.isEmpty() ? all : above.values().iterator().next();
        requests += all;
        bad += each.getKey() >= SERVER_ERROR ? all : Math.max(0, all - fast);
      }
      double all = seconds.stream().mapToDouble(Double::doubleValue).sum();
      return new TrafficCount(requests, bad, Math.round(all * MILLIS));
    }
  }

  /** Time of the last scrape that counted, null before the first. */
  @Nullable Instant countedAt() {
    return countedAt;
  }

  /**
   * Begins to count again under another epoch, because another process counted the same requests,
   * and after five minutes without a count, because their requests are not the load of now.
   */
  void under(long now) {
    boolean other = epoch == null || epoch != now;
    Instant last = countedAt;
    if (other || last != null && last.isBefore(clock.instant().minus(LATE))) {
      counts.clear();
      processes.clear();
    }
    countedAt = other ? null : last;
    epoch = now;
  }

  /** Requests since this process began to count. */
  TrafficCount of(ModelServiceId service, int version) {
    return counts.getOrDefault(new Version(service, version), TrafficCount.NONE);
  }

  /**
   * Scrapes the metrics once.
   *
   * @return why they could not be read, empty if they were
   */
  Optional<String> read(Prometheus metrics, List<ServiceRoute> routes) {
    try {
      add(scraped(metrics), routes);
      return Optional.empty();
    } catch (ServerUrl.Refused
        | EgressPolicy.Refused
        | IOException
        | GeneralSecurityException
        | RuntimeException failed) {
      return Optional.of(
          "requests are not counted: "
              + SafeHttps.brief(String.valueOf(failed.getMessage()), LONGEST_MESSAGE));
    }
  }

  private String scraped(Prometheus metrics)
      throws IOException, GeneralSecurityException, ServerUrl.Refused, EgressPolicy.Refused {
    HttpsURLConnection connection =
        SafeHttps.to(
            metrics.url(), "", egress, metrics.caData(), System.nanoTime() + most.toNanos());
    try {
      if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
        throw new IOException("the gateway answers " + connection.getResponseCode());
      }
      byte[] body = SafeHttps.body(connection, LARGEST, "the metrics of the gateway exceed 16 MiB");
      return new String(body, StandardCharsets.UTF_8);
    } finally {
      connection.disconnect();
    }
  }

  /** Adds the increase since the last scrape of the same process. */
  void add(String metrics, List<ServiceRoute> routes) throws IOException {
    String process = null;
    Map<Version, Latencies> latencies = new HashMap<>();
    for (String line : metrics.split("\n", -1)) {
      if (line.startsWith(STARTED)) {
        process = line;
      } else if (line.startsWith(HISTOGRAM) || line.startsWith(SUM)) {
        read(line, latencies);
      }
    }
    if (process == null) {
      throw new IOException("the metrics lack process_start_time_seconds");
    }
    Map<Version, Seen> before = processes.get(process);
    Map<Version, Seen> now = new HashMap<>();
    for (ServiceRoute route : routes) {
      for (ServiceRoute.Backend backend : route.backends()) {
        Version version = new Version(route.service(), backend.version());
        TrafficCount count =
            latencies.getOrDefault(version, new Latencies()).count(route.slowerThan());
        now.put(version, new Seen(count, route.slowerThan()));
      }
    }
    if (before != null) {
      now.forEach((version, seen) -> increase(version, before.get(version), seen));
    }
    processes.put(process, now);
    counts.keySet().retainAll(now.keySet());
    countedAt = clock.instant();
  }

  private void increase(Version version, @Nullable Seen before, Seen now) {
    if (before != null && before.slowerThan().equals(now.slowerThan())) {
      TrafficCount was = counts.getOrDefault(version, TrafficCount.NONE);
      counts.put(version, was.plus(now.count().since(before.count())));
    }
  }

  private static void read(String line, Map<Version, Latencies> into) {
    Matcher service = SERVICE.matcher(line);
    Matcher code = CODE.matcher(line);
    Matcher bound = BOUND.matcher(line);
    boolean sum = line.startsWith(SUM);
    int end = line.lastIndexOf('}');
    if (!service.find() || !code.find() || !sum && !bound.find()) {
      return;
    }
    ModelServiceId id = IdText.decode(service.group(1)).map(ModelServiceId::new).orElse(null);
    if (id == null) {
      return;
    }
    try {
      double value = Double.parseDouble(line.substring(end + 1).strip().split(" ", -1)[0]);
      Latencies latencies =
          into.computeIfAbsent(
              new Version(id, Integer.parseInt(service.group(2))), version -> new Latencies());
      if (sum) {
        latencies.seconds().add(value);
        return;
      }
      double below = Double.parseDouble(bound.group(1).replace("+Inf", "Infinity"));
      long count = (long) value;
      Long _ =
          latencies
              .byCode()
              .computeIfAbsent(Integer.valueOf(code.group(1)), any -> new TreeMap<>())
              .merge(below, count, Long::sum);
    } catch (NumberFormatException strange) { // the line is not counted
    }
  }
}
