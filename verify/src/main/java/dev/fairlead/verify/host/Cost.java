package dev.fairlead.verify.host;

import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * CPU time of Fairlead and its database.
 *
 * @param serviceMillis CPU time of the service's process, without simulated clusters
 * @param databaseMillis CPU time of all processes of the database server
 * @param simulatedMillis CPU time of the thread that advances simulated clusters. Calls of
 *     supervisors to them count for the service
 * @param threads milliseconds of the live threads of the service, by group
 */
public record Cost(
    double serviceMillis,
    double databaseMillis,
    double simulatedMillis,
    SortedMap<String, Double> threads) {

  public Cost since(Cost earlier) {
    SortedMap<String, Double> spent = new TreeMap<>(threads);
    spent.replaceAll((group, millis) -> millis - earlier.threads.getOrDefault(group, 0.0));
    return new Cost(
        serviceMillis - earlier.serviceMillis,
        databaseMillis - earlier.databaseMillis,
        simulatedMillis - earlier.simulatedMillis,
        spent);
  }

  /** CPU time of service and database, without simulated clusters. */
  public double bothMillis() {
    return serviceMillis + databaseMillis;
  }

  /** CPU time by thread group of the service, largest first. */
  public String split() {
    return threads.entrySet().stream()
        .sorted((a, b) -> Double.compare(b.getValue(), a.getValue()))
        .map(
            group -> String.format(Locale.ROOT, "%s %.1f", group.getKey(), group.getValue() / 1000))
        .collect(Collectors.joining(", ", "CPU seconds of the service's threads: ", ""));
  }
}
