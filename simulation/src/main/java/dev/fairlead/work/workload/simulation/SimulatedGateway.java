package dev.fairlead.work.workload.simulation;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceRoute;
import dev.fairlead.work.serving.ServiceTraffic;
import dev.fairlead.work.serving.TrafficCount;
import dev.fairlead.work.workload.SimulationAnnotations;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The gateway of a simulated cluster. Requests of a service arrive at a given rate, are divided by
 * the weights of the versions with a ready replica here, and succeed or fail as defined by the
 * annotations of the version.
 */
final class SimulatedGateway {
  private static final double REQUESTS = 50;
  private static final double PERCENT = 100;
  private static final double NANOS = 1e9;
  private static final double MILLIS = 1e3;
  private static final Pattern AFTER = Pattern.compile(", ?([0-9]{1,6}) after ([0-9]+[smhd])");
  private final WorkloadBook book;
  private final SortedMap<ModelServiceId, Served> services = new TreeMap<>();

  SimulatedGateway(WorkloadBook book) {
    this.book = book;
  }

  /** A service with the requests of its versions so far. */
  private static final class Served {
    private ServiceRoute route;
    private Instant at;
    private final SortedMap<Integer, Double> requests = new TreeMap<>();
    private final SortedMap<Integer, Double> bad = new TreeMap<>();
    private final SortedMap<Integer, Double> millis = new TreeMap<>();
    private final Instant since;

    Served(ServiceRoute route, Instant at) {
      this.route = route;
      this.at = at;
      since = at;
    }
  }

  /** Sends the requests since the last call by the earlier routes, and takes the new ones. */
  List<ServiceTraffic> serve(List<ServiceRoute> routes, Instant now) {
    if (routes.isEmpty()) {
      services.clear();
      return List.of();
    }
    Map<JobId, SimulatedWorkload> running =
        book.all()
            .filter(SimulatedGateway::ready)
            .collect(Collectors.toMap(w -> w.jobId, Function.identity(), (one, other) -> other));
    services.values().forEach(served -> send(served, running, now));
    SortedMap<ModelServiceId, Served> next = new TreeMap<>();
    List<ServiceTraffic> seen = new ArrayList<>();
    for (ServiceRoute route : routes) {
      Served served = services.getOrDefault(route.service(), new Served(route, now));
      served.route = route;
      next.put(route.service(), served);
      for (ServiceRoute.Backend backend : route.backends()) {
        SortedSet<JobId> ready = new TreeSet<>(backend.replicas());
        ready.retainAll(running.keySet());
        TrafficCount count =
            new TrafficCount(
                whole(served.requests, backend.version()),
                whole(served.bad, backend.version()),
                whole(served.millis, backend.version()));
        seen.add(new ServiceTraffic(route.service(), backend.version(), count, now, ready));
      }
    }
    services.clear();
    services.putAll(next);
    return seen;
  }

  private static long whole(SortedMap<Integer, Double> counts, int version) {
    return counts.getOrDefault(version, 0.0).longValue();
  }

  private static boolean ready(SimulatedWorkload workload) {
    return !workload.pods.isEmpty()
        && workload.pods.values().stream()
            .allMatch(pod -> pod.state() == MemberState.RUNNING && pod.grace == null);
  }

  private static void send(Served served, Map<JobId, SimulatedWorkload> running, Instant now) {
    double seconds = Duration.between(served.at, now).toNanos() / NANOS;
    served.at = now;
    SortedMap<ServiceRoute.Backend, SimulatedWorkload> open =
        new TreeMap<>((one, other) -> Integer.compare(one.version(), other.version()));
    double rate = 0;
    int weights = 0;
    for (ServiceRoute.Backend backend : served.route.backends()) {
      SimulatedWorkload replica = first(backend, running);
      if (replica != null && backend.weight() > 0) {
        open.put(backend, replica);
        weights += backend.weight();
        rate = Math.max(rate, rate(replica, Duration.between(served.since, now)));
      }
    }
    for (var each : open.entrySet()) {
      double sent = rate * seconds * each.getKey().weight() / weights;
      add(served.requests, each.getKey().version(), sent);
      add(
          served.bad,
          each.getKey().version(),
          sent * badShare(each.getValue(), served.route.slowerThan()));
      add(
          served.millis,
          each.getKey().version(),
          sent * latency(each.getValue()).toNanos() / NANOS * MILLIS);
    }
  }

  private static @Nullable SimulatedWorkload first(
      ServiceRoute.Backend backend, Map<JobId, SimulatedWorkload> running) {
    return backend.replicas().stream()
        .flatMap(job -> Optional.ofNullable(running.get(job)).stream())
        .findFirst()
        .orElse(null);
  }

  private static void add(SortedMap<Integer, Double> counts, int version, double more) {
    Double _ = counts.merge(version, more, Double::sum);
  }

  private static double badShare(SimulatedWorkload workload, Duration slowerThan) {
    boolean slow = latency(workload).compareTo(slowerThan) > 0;
    return slow ? 1 : Math.min(1, number(workload, "error-percent", 0) / PERCENT);
  }

  private static Duration latency(SimulatedWorkload workload) {
    return DurationText.parse(text(workload, "latency")).orElse(Duration.ZERO);
  }

  /** Requests in a second, such as {@code 100, 400 after 5m, 50 after 20m}. */
  private static double rate(SimulatedWorkload workload, Duration age) {
    String text = text(workload, "requests");
    double rate = first(text);
    Matcher later = AFTER.matcher(text);
    while (later.find()) {
      boolean reached =
          DurationText.parse(later.group(2)).filter(from -> from.compareTo(age) <= 0).isPresent();
      rate = reached ? Double.parseDouble(later.group(1)) : rate;
    }
    return rate;
  }

  private static double first(String text) {
    int end = text.indexOf(',');
    String number = end < 0 ? text : text.substring(0, end);
    return number.matches("[0-9]{1,6}") ? Double.parseDouble(number) : REQUESTS;
  }

  private static double number(SimulatedWorkload workload, String name, double absent) {
    String text = text(workload, name);
    return text.matches("[0-9]{1,6}") ? Double.parseDouble(text) : absent;
  }

  private static String text(SimulatedWorkload workload, String name) {
    return workload.annotations.getOrDefault(SimulationAnnotations.PREFIX + name, "");
  }
}
