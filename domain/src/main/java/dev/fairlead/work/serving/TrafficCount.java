package dev.fairlead.work.serving;

/**
 * Requests since some time.
 *
 * @param requests answered requests
 * @param bad those answered with a status of 500 or more, or slower than the service allows
 * @param millis latencies of all requests, added up
 */
public record TrafficCount(long requests, long bad, long millis) {
  public static final TrafficCount NONE = new TrafficCount(0, 0, 0);

  public TrafficCount plus(TrafficCount other) {
    return new TrafficCount(requests + other.requests, bad + other.bad, millis + other.millis);
  }

  /** Requests since an earlier count. A counter never falls. */
  public TrafficCount since(TrafficCount earlier) {
    long all = Math.max(0, requests - earlier.requests);
    return new TrafficCount(
        all, Math.clamp(bad - earlier.bad, 0, all), Math.max(0, millis - earlier.millis));
  }

  double badShare() {
    return requests == 0 ? 0 : (double) bad / requests;
  }
}
