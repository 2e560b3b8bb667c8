package dev.fairlead.money.efficiency.prometheus;

import dev.fairlead.fleet.prometheus.QuerySeries;
import tools.jackson.databind.JsonNode;

/**
 * GPUs of one pod.
 *
 * @param at time of the evaluation, in seconds since 1970
 * @param value NaN if it is not a number
 */
record Series(String namespace, String pod, double at, double value) implements QuerySeries {
  /**
   * An exporter's own labels are renamed if the scraper gives precedence to the labels of the
   * target.
   */
  static Series of(JsonNode series) {
    JsonNode labels = series.path("metric");
    boolean renamed = labels.has("exported_pod");
    return new Series(
        labels.path(renamed ? "exported_namespace" : "namespace").asString(""),
        labels.path(renamed ? "exported_pod" : "pod").asString(""),
        QuerySeries.at(series),
        QuerySeries.value(series));
  }
}
