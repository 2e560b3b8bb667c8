package dev.fairlead.work.workload.kubernetes.route;

import dev.fairlead.work.serving.ModelServiceId;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** The metrics of a Traefik, as it writes them, for requests of one service. */
public final class GatewayCounters {
  private static final String[] BOUNDS = {"0.1", "0.3", "1.2", "5", "+Inf"};
  private final ModelServiceId service;
  private final String namespace;
  private final SortedMap<String, AtomicLong> requests = new TreeMap<>();
  private final SortedMap<String, Double> latencies = new TreeMap<>();
  private int bad;
  private String started = "1.7e+09";

  public GatewayCounters(ModelServiceId service, String namespace) {
    this.service = service;
    this.namespace = namespace;
  }

  /** From now on each tenth request of the version is answered with 503. */
  public synchronized void bad(int version) {
    bad = version;
  }

  /** Another process of the gateway, which has counted nothing. */
  public synchronized void restarts(String at) {
    started = at;
    requests.clear();
    latencies.clear();
  }

  /** A hundred requests, divided by weight. */
  public synchronized void hundred(Map<Integer, Integer> weights) {
    weights.forEach((version, weight) -> {
      int failed = version == bad ? weight / 10 : 0;
      add(version, 200, "0.1", weight - failed);
      add(version, 503, "0.1", failed);
    });
  }

  /** Requests with a latency up to the bound. */
  public synchronized void add(int version, int code, String bound, int count) {
    int first = List.of(BOUNDS).indexOf(bound);
    for (int i = 0; i < BOUNDS.length; i++) {
      long _ =
          requests
              .computeIfAbsent(series(version, code, BOUNDS[i]), any -> new AtomicLong())
              .addAndGet(i < first ? 0 : count);
    }
  }

  /** Latencies of requests, added up. */
  public synchronized void took(int version, int code, double seconds) {
    Double _ =
        latencies.merge(
            series(version, code, "").replace("_bucket{", "_sum{").replace(",le=\"\"", ""),
            seconds,
            Double::sum);
  }

  private String series(int version, int code, String bound) {
    return "traefik_service_request_duration_seconds_bucket{code=\"%d\",method=\"GET\",protocol=\"http\",service=\"httproute-%s-fl-%s-gw-gateways-splits-ep-web-0-abc-svc-%s-fl-%s-v%d-0@kubernetesgateway\",le=\"%s\"}"
        .formatted(code, namespace, service.bare(), namespace, service.bare(), version, bound);
  }

  public synchronized String text() {
    StringBuilder text =
        new StringBuilder("# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds ")
            .append(started)
            .append('\n');
    requests.forEach((series, count) -> text.append(series).append(' ').append(count).append('\n'));
    latencies.forEach((series, sum) -> text.append(series).append(' ').append(sum).append('\n'));
    return text.toString();
  }
}
