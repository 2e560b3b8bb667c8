package dev.fairlead.fleet.prometheus;

import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.SafeHttps;
import dev.fairlead.kernel.egress.ServerUrl;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import javax.net.ssl.HttpsURLConnection;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Sends instant queries to a Prometheus over HTTPS, each with a bounded response. */
public final class InstantQueries {
  private static final int LARGEST = 16 * 1024 * 1024;
  private static final int LONGEST_MESSAGE = 200;

  /** An older response comes from a cache or a wrong clock. */
  private static final Duration OLDEST = Duration.ofMinutes(5);

  private final EgressPolicy egress;
  private final InstantSource clock;
  private final Duration most;

  /**
   * @param most total duration of the queries of one reading
   */
  public InstantQueries(EgressPolicy egress, InstantSource clock, Duration most) {
    this.egress = egress;
    this.clock = clock;
    this.most = most;
  }

  @FunctionalInterface
  public interface Reading<T> {
    T read(long until)
        throws IOException, GeneralSecurityException, ServerUrl.Refused, EgressPolicy.Refused;
  }

  /** Runs the queries of a reading within a deadline, and turns every failure into its text. */
  public <T> T within(Reading<T> reading, Function<String, T> failed) {
    try {
      return reading.read(System.nanoTime() + most.toNanos());
    } catch (ServerUrl.Refused
        | EgressPolicy.Refused
        | IOException
        | GeneralSecurityException
        | RuntimeException cause) {
      return failed.apply(SafeHttps.brief(String.valueOf(cause.getMessage()), LONGEST_MESSAGE));
    }
  }

  /** Runs a query for the current time. */
  public <T extends QuerySeries> List<T> ask(
      Prometheus prometheus, String query, long until, Function<JsonNode, T> of)
      throws IOException, GeneralSecurityException, ServerUrl.Refused, EgressPolicy.Refused {
    return ask(prometheus, query, null, until, of);
  }

  /**
   * Runs a query. A Thanos with a store that does not answer must refuse it, because series that
   * are missing would look like values of 0.
   *
   * @param at time of the evaluation in seconds since 1970, null for the present
   * @param until deadline of {@link System#nanoTime}
   * @param of reads one series
   * @throws IOException also if the response is for a different time than now
   */
  public <T extends QuerySeries> List<T> ask(
      Prometheus prometheus,
      String query,
      @Nullable Double at,
      long until,
      Function<JsonNode, T> of)
      throws IOException, GeneralSecurityException, ServerUrl.Refused, EgressPolicy.Refused {
    String suffix =
        "/api/v1/query?timeout=%ds&partial_response=false%s&query=%s"
            .formatted(
                Math.max(1, most.toSeconds()),
                at == null ? "" : String.format(Locale.ROOT, "&time=%.3f", at),
                URLEncoder.encode(query, StandardCharsets.UTF_8));
    HttpsURLConnection connection =
        SafeHttps.to(prometheus.url(), suffix, egress, prometheus.caData(), until);
    try {
      if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
        throw new IOException("Prometheus answers " + connection.getResponseCode());
      }
      List<T> series =
          QueryAnswer.read(
              SafeHttps.body(connection, LARGEST, "Prometheus answers more than 16 MiB"), of);
      refuseUnlessOfNow(series);
      return series;
    } finally {
      connection.disconnect();
    }
  }

  private void refuseUnlessOfNow(List<? extends QuerySeries> series) throws IOException {
    double now = clock.instant().getEpochSecond();
    for (QuerySeries one : series) {
      if (!(Math.abs(one.at() - now) <= OLDEST.toSeconds())) {
        throw new IOException("Prometheus returned a result for a time other than now");
      }
    }
  }
}
